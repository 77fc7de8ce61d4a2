// A first task for a .cu file: what it would call, with which arguments, in which scenarios. Everything that does not follow from
// the code is said: guessed with its reason, or missing with what to write.
import { readCode } from '../kernel/code.js';
import type { KernelFile } from '../kernel/types.js';
import { validateTask } from './parse.js';
import { proposeArguments } from './propose/arguments.js';
import { chooseBare } from './propose/bare.js';
import { Callee } from './propose/callee.js';
import { chooseEntry } from './propose/entry.js';
import { proposeLaunch } from './propose/launch.js';
import { programSizes } from './propose/program-sizes.js';
import { guess, type Proposal } from './propose/proposal.js';
import { Bodies, unsetGlobals } from './propose/reach.js';
import { proposeScenarios } from './propose/scenarios.js';
import { proposeShapes } from './propose/shapes.js';
import { sizesFor, type Probe } from './propose/sizes.js';

export type { Proposal } from './propose/proposal.js';

/** Headers of PyTorch, whose tensors have no pointers that a task could give. */
const FRAMEWORK = /^(torch|ATen|c10)\//;

/**
 * Proposes a task for a source that was read into `file`.
 * @param fileName of the source, relative to the task
 */
export function proposeTask(file: KernelFile, fileName: string, text: string): Proposal {
  const proposal: Proposal = { task: { source: fileName }, guesses: [], missing: [] };
  const files = file.includes.filter((i) => i.quoted).map((i) => i.path);
  if (files.length > 0) proposal.task['files'] = files;
  const framework = file.includes.find((i) => FRAMEWORK.test(i.path));
  if (framework) {
    const what = `"${framework.path}" makes this a PyTorch extension, which is not supported: move the kernel and a host function over plain pointers to a .cu file of their own`;
    proposal.missing.push({ path: '$.source', what });
    return proposal;
  }
  const bodies = new Bodies(readCode(text), file);
  const entry = chooseEntry(file, bodies.code);
  if (entry) {
    propose(proposal, bodies, new Callee(proposal, bodies, entry.fn));
    if (entry.others.length > 0) {
      const names = entry.others.map((f) => f.name).join(', ');
      guess(proposal, '$.entry', `the file has other functions that launch: ${names}`);
    }
  } else {
    const bare = chooseBare(file, bodies);
    if (bare) {
      propose(proposal, bodies, new Callee(proposal, bodies, bare.kernel, bare));
      const unset = unsetGlobals(bodies.code, bare.kernel);
      if (unset.length > 0)
        guess(
          proposal,
          '$.kernel',
          `nothing sets ${unset.join(', ')} before the kernel runs: it reads zeros. Give $.entry a host function that copies ` +
            'to it and launches, or initialise it where it is declared',
        );
    } else
      proposal.missing.push({ path: '$.entry', what: 'no kernel was found: name the host function that launches' });
  }
  if (proposal.missing.length === 0) {
    const checked = validateTask(proposal.task);
    if (!checked.ok)
      for (const e of checked.errors) proposal.missing.push({ path: e.path, what: e.message.slice(e.path.length + 2) });
  }
  return proposal;
}

/** Fills the task with what is called, its arguments and scenarios. */
function propose(proposal: Proposal, bodies: Bodies, callee: Callee): void {
  const { task, missing } = proposal;
  const { bare, sizes } = callee;
  if (bare) proposeLaunch(proposal, bodies, bare);
  else task['entry'] = callee.called.qualifiedName.replaceAll('(anonymous)::', '');
  const shapes = proposeShapes({
    buffers: callee.buffers.map((b) => b.name),
    sizes,
    stepsWith: (given) => callee.steps(given),
    blocks: product(bare?.grid),
    ...(bare ? { allocated: (buffer: string, given: Probe) => callee.allocated(buffer, given) } : {}),
  });
  const steps = callee.steps(new Map(sizes.map((s) => [s, sizesFor(s, sizes).usual])));
  const args = proposeArguments(proposal, callee, shapes, steps);
  task['arguments'] = args;
  task['scenarios'] = proposeScenarios(proposal, callee, shapes, programSizes(bodies, callee));
  if (!args.some((a) => a['role'] === 'output' || a['role'] === 'inout')) {
    missing.push({
      path: '$.arguments',
      what: 'no argument is known to be written: give one the role "output" or "inout"',
    });
  }
}

function product(axes: readonly string[] | undefined): string | undefined {
  return axes?.length === 1 ? axes[0] : axes?.map((axis) => `(${axis})`).join(' * ');
}
