// The table of the differential suite in docs/cpu-target.md, made from the kernels and the recording.
import { describeAgreement, type Kernel } from './kernels.js';
import type { Recording } from './recording.js';

const START = '<!-- differential suite: made by `npm run differential -- --table` -->';
const END = '<!-- end of differential suite -->';

/** The page with the table between its marks replaced. */
export function withTable(page: string, kernels: readonly Kernel[], recording: Recording): string {
  const [start, end] = [page.indexOf(START), page.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`docs/cpu-target.md lacks ${START} and ${END}`);
  return `${page.slice(0, start)}${START}\n\n${table(kernels, recording)}\n\n${page.slice(end)}`;
}

function table(kernels: readonly Kernel[], recording: Recording): string {
  const { device, driver, compiler, date } = recording;
  return [
    `Recorded on ${date} on ${device}, driver ${driver}, ${compiler}: ${kernels.length} kernels.`,
    '',
    '| kernel | what it exercises | output | agreement |',
    '| --- | --- | --- | --- |',
    ...kernels.map(
      (k) =>
        `| \`${k.name}\` | ${k.title.replace(/\.$/, '')} | ${k.count} × ${k.dtype} | ${describeAgreement(k.agreement)} |`,
    ),
  ].join('\n');
}
