// Facts of host code: launches and their configuration, streams, runtime calls, choices between launches.
import type { Launch } from '../../kernel/types.js';
import { hostCall } from './calls.js';
import { calleeName } from './device.js';
import type { Facts } from './facts.js';
import type { Names } from './names.js';
import { fieldOf, walk, type TreeNode } from './tree.js';

export function hostFacts(names: Names, facts: Facts): void {
  const { launches } = names.unit.file.source;
  const own = launches.filter((l) => l.range.startIndex >= names.root.start && l.range.endIndex <= names.root.end);
  const inputs = new Set<string>();
  for (const launch of own) {
    launchFacts(names, launch, facts);
    for (const piece of [launch.grid, launch.block, launch.shared]) {
      for (const word of piece ? names.words({ start: piece.range.startIndex, end: piece.range.endIndex }) : [])
        inputs.add(word);
    }
  }
  configurationInputs(names, inputs, facts);
  for (const node of walk(names.root)) {
    if (node.type === 'call_expression') {
      const callee = fieldOf(node, 'function');
      const name = callee ? calleeName(names, callee) : '';
      // A copy or attribute says what it is by its arguments.
      const words = names.words(node);
      const saying = hostCall(name);
      if (saying) facts.add(saying.level, saying.weight, saying.about, name, names.shown(node));
      if (words.some((w) => /^cudaFuncAttribute(MaxDynamicSharedMemorySize|PreferredSharedMemoryCarveout)$/.test(w))) {
        facts.add('memory-hierarchy', 1.5, 'shared memory', 'opt-in', names.shown(node));
      }
    }
    if (node.type === 'declaration' && names.words(node).some((w) => /^(thread|jthread)$/.test(w))) {
      facts.add('launch', 1.5, 'host threads', 'std::thread', names.shown(node));
    }
    if (node.type === 'field_expression' && names.words(node).includes('accessPolicyWindow')) {
      facts.add('memory-hierarchy', 1, 'cache policy', names.words(node).at(-1) ?? '', names.shown(node));
    }
  }
  const body = fieldOf(names.root, 'body') ?? names.root;
  const { passes, alternatives } = road(names, body, new Set(own.map((l) => l.calleeRange.startIndex)));
  if (passes > 0)
    facts.add('algorithm', 3, 'launches in a row', String(passes), `${passes} in ${names.unit.found?.name ?? ''}`);
  for (let i = 0; i < alternatives; i++)
    facts.add('shape-dtype', 4, 'choice between launches', 'choice', `in ${names.unit.found?.name ?? ''}`);
}

function launchFacts(names: Names, launch: Launch, facts: Facts): void {
  const at = ({ range }: { range: { startIndex: number; endIndex: number } }) => ({
    start: range.startIndex,
    end: range.endIndex,
  });
  const blocks = names.normal(at(launch.grid));
  const threads = names.normal(at(launch.block));
  facts.add('launch', 1, 'blocks and threads', `${blocks}, ${threads}`, `${launch.grid.text}, ${launch.block.text}`);
  const shared = launch.shared ? names.normal(at(launch.shared)) : '0';
  if (shared !== '0') facts.add('launch', 1.5, 'dynamic shared memory', shared, launch.shared?.text ?? '');
  const stream = launch.stream ? names.normal(at(launch.stream)) : '';
  const isOwn =
    launch.stream !== undefined &&
    names.declared.some((d) => d.name === launch.stream?.text && d.declaration.type === 'declaration');
  if (isOwn) facts.add('overlap', 2, 'launch on a stream of its own', stream, launch.stream?.text);
}

/** Declarations that the configuration is computed from. */
function configurationInputs(names: Names, inputs: Set<string>, facts: Facts): void {
  const open = [...inputs];
  const seen = new Set(open);
  for (let word = open.pop(); word !== undefined; word = open.pop()) {
    for (const { name, declarator, declaration } of names.declared) {
      if (name !== word || declaration.type !== 'declaration') continue;
      const value = fieldOf(declarator, 'value') ?? (declarator.type === 'init_declarator' ? declarator : undefined);
      if (!value) continue;
      facts.add('launch', 1, 'blocks and threads', names.normal(value), `${name} ${names.shown(value)}`);
      const more = names.words(value).filter((next) => !seen.has(next));
      for (const next of more) seen.add(next);
      open.push(...more);
    }
  }
}

interface Road {
  /** Most launches that one call makes, those of a loop counted once. */
  passes: number;
  /** Launches that one call makes instead of others. */
  alternatives: number;
  /** It may return before its end. */
  returns: boolean;
}

/** Launches along the road through a function. @param launches where their callees start */
function road(names: Names, node: TreeNode, launches: ReadonlySet<number>): Road {
  if (node.type === 'if_statement') {
    const then = fieldOf(node, 'consequence');
    const other = fieldOf(node, 'alternative');
    const a = then ? road(names, then, launches) : NONE;
    const b = other ? road(names, other, launches) : NONE;
    const isChoice = a.passes > 0 && (b.passes > 0 || a.returns);
    return {
      passes: a.returns && !other ? 0 : Math.max(a.passes, b.passes),
      alternatives: a.alternatives + b.alternatives + (isChoice ? 1 : 0),
      returns: a.returns && b.returns,
    };
  }
  if (node.type === 'switch_statement') {
    const cases = [...walk(node)]
      .filter((n) => n.type === 'case_statement')
      .map((n) => sum(n.children.map((c) => road(names, c, launches))));
    const withLaunch = cases.filter((c) => c.passes > 0).length;
    return {
      passes: Math.max(0, ...cases.map((c) => c.passes)),
      alternatives: Math.max(0, withLaunch - 1),
      returns: false,
    };
  }
  if (node.type === 'return_statement') return { ...NONE, returns: true };
  // A launch is a call in the masked tree; where it stands tells it from others.
  const isLaunch =
    node.type === 'call_expression' &&
    (launches.has(node.start) ||
      /^(cudaLaunch(Cooperative)?Kernel(ExC?)?|cuLaunchKernel(Ex)?)$/.test(names.words(node)[0] ?? ''));
  if (isLaunch) return { passes: 1, alternatives: 0, returns: false };
  return sum(node.children.map((child) => road(names, child, launches)));
}

const NONE: Road = { passes: 0, alternatives: 0, returns: false };

function sum(roads: readonly Road[]): Road {
  return roads.reduce(
    (a, b) => ({
      passes: a.passes + b.passes,
      alternatives: a.alternatives + b.alternatives,
      returns: a.returns || b.returns,
    }),
    NONE,
  );
}
