// What it ran on and with, and the commands that do it again.
import { candidateOf } from '../../session/fold.js';
import { duration } from '../numbers.js';
import { targetLine } from '../terminal.js';
import { BOUNDS } from './bounds.js';
import type { ReportInput } from './input.js';
import { clipped, instant, markup, type Markup } from './markup.js';

export function environmentSection({ state }: ReportInput): Markup {
  const { baseline, runner, usage } = state;
  const judged = candidateOf(state, state.incumbent)?.confirmed ?? baseline;
  const provenance = judged?.provenance;
  const clocks = judged?.conditions;
  const facts: [string, string | undefined][] = [
    ['Session', state.session],
    ['Task', state.task],
    ['Began', instant(state.startedAt)],
    ['Time at work', duration(state.activeMs)],
    ['Strategy', state.strategy],
    ['Model', state.model === undefined ? undefined : `${state.model} at ${state.endpoint ?? 'an unknown endpoint'}`],
    [
      'Tokens',
      state.model === undefined
        ? undefined
        : `${usage.inputTokens} in, ${usage.outputTokens} out, ${usage.cacheReadTokens} read from the cache, ${usage.cacheWriteTokens} written to it`,
    ],
    ['Target', baseline?.target && targetLine(baseline.target)],
    ['Driver', baseline?.target?.driver],
    ['Runner', runner?.address],
    ['Compiler', provenance?.compiler],
    ['Flags', provenance?.flags.join(' ')],
    [
      'Isolation',
      provenance?.isolation &&
        `${provenance.isolation.means}${provenance.isolation.missing.length > 0 ? `; missing: ${provenance.isolation.missing.join(', ')}` : ''}`,
    ],
    [
      'Clocks',
      clocks &&
        `${clocks.smMhz.median} MHz [${clocks.smMhz.low}, ${clocks.smMhz.high}], memory ${clocks.memoryMhz} MHz${clocks.heldBackBy.length > 0 ? `; held back by ${clocks.heldBackBy.join(', ')}` : ''}`,
    ],
    ['Seed of the inputs', provenance?.seed],
    ['Seed of the search', String(state.seed)],
    ['SHA-256 of the original', state.originalSha256],
    ['SHA-256 of the best', candidateOf(state, state.incumbent)?.sourcesSha256],
    ['KernelSeek', state.version],
  ];
  const warnings = [...new Set([...(judged?.warnings ?? []), ...(baseline?.warnings ?? [])])].slice(0, 20);
  return markup`<dl class="facts">${facts.map(([name, value]) =>
    value ? markup`<dt>${name}</dt><dd>${clipped(value, BOUNDS.cell)}</dd>` : undefined,
  )}</dl>
${warnings.length > 0 ? markup`<h3>Warnings of the verdict</h3><ul>${warnings.map((w) => markup`<li>${clipped(w, BOUNDS.cell)}</li>`)}</ul>` : undefined}
${state.troubles.length > 0 ? troubles(state.troubles) : undefined}`;
}

function troubles(all: ReportInput['state']['troubles']): Markup {
  const shown = all.slice(-20);
  return markup`<h3>Trouble on the road</h3>${all.length > shown.length ? markup`<p class="soft small">The last ${shown.length} of ${all.length}.</p>` : undefined}
<ul>${shown.map((t) => markup`<li>${instant(t.at)}, ${t.where}: ${clipped(t.message, BOUNDS.cell)}</li>`)}</ul>`;
}

export function commandsSection({ commands }: ReportInput): Markup {
  return markup`<dl>${commands.map(({ does, command }) => markup`<dt>${does}</dt><dd><pre class="wrap" tabindex="0">${command}</pre></dd>`)}</dl>`;
}
