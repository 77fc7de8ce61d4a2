// Facts of kernels and device functions.
import type { Facts } from './facts.js';
import { deviceCall, inlinePtx } from './calls.js';
import type { Declared, Names } from './names.js';
import { orderFacts } from './order.js';
import { dataPasses, isLoop, isTree, loopNests } from './loops.js';
import { fieldOf, walk, type TreeNode } from './tree.js';

const THREAD = /^(threadIdx|blockIdx|blockDim|gridDim|warpSize|thread_rank|meta_group_rank)$/;
const VECTOR =
  /\b(?:float|double|int|uint|short|ushort|char|uchar|longlong|half|__half|bfloat16|__nv_bfloat16)[2348]\b|\b__(?:half|nv_bfloat16)2\b/;
const FLOATING = /^_*(?:nv_)?(double|half|bfloat16|fp8\w*|tf32)/;

export function deviceFacts(names: Names, facts: Facts): void {
  orderFacts(names, facts);
  for (const declared of names.declared) declarationFacts(names, declared, facts);
  visit(names, names.root, facts, { index: false, header: false });
  if (names.unit.kind === 'kernel') {
    facts.add('algorithm', 3, 'passes over the data in a kernel', `${dataPasses(names)} in one kernel`);
    for (const nest of loopNests(names)) facts.add('algorithm', nest.weight, 'loop nest', nest.key);
  }
}

function declarationFacts(
  names: Names,
  { class: kind, type, sizes, declaration, declarator, name }: Declared,
  facts: Facts,
): void {
  const shown = `${type} ${name}${sizes.map((s) => `[${s}]`).join('')}`;
  if (kind === 's') {
    const weight = sizes.length === 0 ? 1 : sizes.length > 1 ? 4 : 2;
    const about = sizes.length > 1 ? 'tile in shared memory' : 'shared memory';
    facts.add('memory-hierarchy', weight, about, sizes.map((s) => `[${s}]`).join(' '), shown);
    facts.add('memory-hierarchy', 1, 'elements of shared memory', type);
  } else if (kind === 'r' && declaration.type === 'declaration') {
    facts.add('memory-hierarchy', 2, 'array of a thread', `${type} ${sizes.join(' ')}`, shown);
  }
  if (VECTOR.test(type)) facts.add('data-movement', 2, 'vector types', type);
  const floating = FLOATING.exec(type)?.[1];
  if (floating !== undefined) facts.add('shape-dtype', 0, 'dtype', floating);
  const value = declarator.type === 'init_declarator' ? fieldOf(declarator, 'value') : undefined;
  if (value) mapping(names, value, facts);
}

/** The work of a thread: where it begins, from its place in block and grid. */
function mapping(names: Names, value: TreeNode, facts: Facts): void {
  const words = names.words(value);
  // A load through an index is an access, not a mapping.
  if (words.some((w) => THREAD.test(w)) && !words.includes('[')) {
    facts.add('decomposition', 1.5, 'work of a thread', names.normal(value), names.shown(value));
  }
}

interface Around {
  /** Inside the index of an access. */
  index: boolean;
  /** Inside the header of a loop. */
  header: boolean;
}

function visit(names: Names, node: TreeNode, facts: Facts, around: Around): void {
  switch (node.type) {
    case 'subscript_expression':
      if (!around.index) access(names, node, facts);
      for (const child of node.children) visit(names, child, facts, { ...around, index: true });
      return;
    case 'for_statement':
    case 'while_statement':
    case 'do_statement': {
      const header = { start: node.start, end: fieldOf(node, 'body')?.start ?? node.end };
      facts.add(
        'decomposition',
        isTree(names, node) ? 1 : 1.5,
        isTree(names, node) ? 'loop of a tree' : 'loop',
        names.normal(header),
        names.shown(header),
      );
      for (const child of node.children) visit(names, child, facts, { ...around, header: child.field !== 'body' });
      return;
    }
    case 'call_expression':
      call(names, node, facts);
      break;
    case 'gnu_asm_expression': {
      const { level, weight, about } = inlinePtx(names.shown(node));
      facts.add(level, weight, about, names.normal(node), names.shown(node));
      return;
    }
    case 'binary_expression':
      arithmetic(names, node, facts, around);
      break;
    case 'cast_expression': {
      const type = fieldOf(node, 'type');
      const words = type ? names.words(type) : [];
      if (VECTOR.test(words.join(' '))) facts.add('data-movement', 2, 'vector types', words.join(' '));
      else if (!words.includes('*')) facts.add('instructions', 0.5, 'conversions', words.join(' '));
      break;
    }
    case 'template_argument_list': {
      const words = names.words(node);
      if (VECTOR.test(words.join(' '))) facts.add('data-movement', 2, 'vector types', words.join(' '));
      break;
    }
    case 'assignment_expression':
      assignment(names, node, facts, around);
      break;
    default:
  }
  for (const child of node.children) visit(names, child, facts, around);
}

function access(names: Names, node: TreeNode, facts: Facts): void {
  let base: TreeNode | undefined = node;
  while (base?.type === 'subscript_expression') base = fieldOf(base, 'argument');
  const kind = base ? names.classOf(names.words(base)[0] ?? '') : undefined;
  if (kind === 'r') return;
  // A neighbour at some distance is the same order of access.
  const order = names.normal(node).replace(/ \+ (?:[\d.]+ \* )?\$i(?= |$)/g, '');
  facts.add('data-movement', 0.4, 'access', order, names.shown(node));
}

function call(names: Names, node: TreeNode, facts: Facts): void {
  const callee = fieldOf(node, 'function');
  if (!callee) return;
  const name = calleeName(names, callee);
  const saying = deviceCall(name);
  if (saying) facts.add(saying.level, saying.weight, saying.about, name);
}

/** `cg::tiled_partition<32>` → `tiled_partition`, `tile.shfl_xor` → `shfl_xor` */
export function calleeName(names: Names, callee: TreeNode): string {
  const words = names.words(callee);
  const template = words.indexOf('<');
  return words.slice(0, template === -1 ? words.length : template).at(-1) ?? '';
}

function arithmetic(names: Names, node: TreeNode, facts: Facts, { header, index }: Around): void {
  const operator = fieldOf(node, 'operator');
  const right = fieldOf(node, 'right');
  const sign = operator ? names.words(operator)[0] : undefined;
  if (header || !right || (sign !== '/' && sign !== '%')) return;
  // Division by a constant or of a thread's place costs little or nothing.
  if (/^[\d( ]/.test(names.normal(right)) || names.words(node).some((w) => THREAD.test(w))) return;
  facts.add(
    'instructions',
    index ? 0.75 : 1.5,
    sign === '/' ? 'division' : 'remainder',
    names.normal(right),
    names.shown(node),
  );
}

function assignment(names: Names, node: TreeNode, facts: Facts, { header }: Around): void {
  const [left, right, operator] = ['left', 'right', 'operator'].map((f) => fieldOf(node, f));
  if (!left || !right || header) return;
  mapping(names, right, facts);
  if (isStore(names, left)) facts.add('decomposition', 1, 'results of a thread', 'store', `${names.shown(left)} = …`);
  if (operator && names.words(operator)[0] === '=' && left.type === 'identifier') recurrence(names, left, right, facts);
}

/** `sum = sum * f + p`: what was added up is scaled again, which is another way to compute the same. */
function recurrence(names: Names, left: TreeNode, right: TreeNode, facts: Facts): void {
  const own = names.words(left)[0];
  for (const node of walk(right)) {
    if (node.type !== 'binary_expression') continue;
    const operator = fieldOf(node, 'operator');
    const factor = fieldOf(node, 'left');
    if (operator && names.words(operator)[0] === '*' && factor && names.words(factor).join('') === own) {
      facts.add(
        'algorithm',
        2,
        'recurrence',
        'scales what was added up',
        `${names.shown(left)} = ${names.shown(right)}`,
      );
    }
  }
}

/** Writes to memory that outlives the kernel. */
function isStore(names: Names, left: TreeNode): boolean {
  return left.type === 'subscript_expression' && names.classOf(names.words(left)[0] ?? '') === 'p';
}

/** Values that are handed from one round of a loop to the next instead of being read again: `below = here`. */
export function rotation(names: Names, facts: Facts): void {
  for (const loop of walk(names.root)) {
    if (!isLoop(loop)) continue;
    const outside = new Set(
      names.declared.filter((d) => d.declaration.end <= loop.start && d.class === 'f').map((d) => d.name),
    );
    for (const node of walk(fieldOf(loop, 'body') ?? loop)) {
      const [left, right] = [fieldOf(node, 'left'), fieldOf(node, 'right')];
      if (node.type !== 'assignment_expression' || left?.type !== 'identifier' || right?.type !== 'identifier')
        continue;
      if (outside.has(names.words(left)[0] ?? '') && outside.has(names.words(right)[0] ?? '')) {
        facts.add('memory-hierarchy', 2, 'values kept in registers', 'handed on', names.shown(node));
      }
    }
  }
}

/** A load for the next round of a loop into a variable that outlives the round. */
export function loadsAhead(names: Names, facts: Facts): void {
  for (const loop of walk(names.root)) {
    const body = isLoop(loop) ? fieldOf(loop, 'body') : undefined;
    if (!body) continue;
    const inside = new Set(
      names.declared
        .filter((d) => d.declaration.start >= body.start && d.declaration.end <= body.end)
        .map((d) => d.name),
    );
    const counters = new Set(
      names.declared
        .filter((d) => d.declaration.start >= loop.start && d.declaration.end <= body.start)
        .map((d) => d.name),
    );
    for (const node of walk(body)) {
      const [left, right] = [fieldOf(node, 'left'), fieldOf(node, 'right')];
      if (node.type !== 'assignment_expression' || left?.type !== 'identifier' || !right) continue;
      if (inside.has(names.words(left)[0] ?? '') || !names.words(right).includes('[')) continue;
      const words = names.words(right);
      const isNext = words.some(
        (w, i) => counters.has(w) && words[i + 1] === '+' && /^(1|\w*step\w*|[A-Z_\d]+)$/.test(words[i + 2] ?? ''),
      );
      if (isNext)
        facts.add(
          'overlap',
          3,
          'loads ahead of their use',
          'load ahead',
          `${names.shown(left)} = ${names.shown(right)}`,
        );
    }
  }
}
