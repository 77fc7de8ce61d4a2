// The kernel and launch of a task for a bare kernel: as the file launches it, or imagined where nothing does.
import type { Bare } from './bare.js';
import { guess, type Proposal } from './proposal.js';
import type { Bodies } from './reach.js';

/** Stands for bytes of shared memory that are missing: no task with it is valid. */
const MISSING = '';

/** Writes `kernel` and `launch` into the task, and says what of them is guessed or missing. */
export function proposeLaunch(proposal: Proposal, bodies: Bodies, bare: Bare): void {
  const { task, missing } = proposal;
  task['kernel'] = bare.name;
  const open = bare.kernel.templateParameters.length > 0 && bare.launch === undefined;
  if (open) {
    task['kernel'] =
      `${bare.name}<${bare.kernel.templateParameters.map((t) => t.default ?? (t.kind === 'type' ? 'float' : '32')).join(', ')}>`;
    guess(proposal, '$.kernel', 'nothing launches it: template arguments are examples');
  }
  if (bare.launch === undefined) {
    guess(proposal, '$.launch', 'nothing in the file launches the kernel: one thread per element of the first size');
    const { startIndex, endIndex } = bare.kernel.range;
    const words = bodies.code.tokens.filter((t) => t.start >= startIndex && t.end <= endIndex);
    const isSharing = words.some((t, i) => t.text === 'extern' && words[i + 1]?.text === '__shared__');
    const grid = [numberOr(bare.imagined?.grid.text ?? '1')];
    task['launch'] = { grid, block: [256], ...(isSharing ? { shared: MISSING } : {}) };
    if (isSharing) {
      missing.push({ path: '$.launch.shared', what: 'the kernel uses dynamic shared memory: write how many bytes' });
    }
    return;
  }
  const others = new Set(bodies.file.launches.map((l) => l.kernel).filter((k) => k !== bare.launch?.kernel));
  if (others.size > 0) {
    guess(proposal, '$.kernel', `the file launches other kernels too: ${[...others].join(', ')}`);
  }
  if (!bare.grid)
    missing.push({
      path: '$.launch.grid',
      what: `${bare.launch.grid.text} is not understood: write it over the scenario variables`,
    });
  if (!bare.block)
    missing.push({
      path: '$.launch.block',
      what: `${bare.launch.block.text} is not understood: write it over the scenario variables`,
    });
  const given = bare.launch.shared?.text ?? '0';
  if (given !== '0' && bare.shared === undefined) {
    missing.push({
      path: '$.launch.shared',
      what: `${given} is not understood: write its bytes over the scenario variables`,
    });
  }
  task['launch'] = {
    grid: (bare.grid ?? []).map(numberOr),
    block: (bare.block ?? []).map(numberOr),
    ...(given === '0' ? {} : { shared: bare.shared === undefined ? MISSING : numberOr(bare.shared) }),
  };
}

function numberOr(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}
