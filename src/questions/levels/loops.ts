// The loops of a kernel: passes over data, trees, and how they are nested.
import type { Names } from './names.js';
import { fieldOf, walk, type TreeNode } from './tree.js';

export function isLoop({ type }: TreeNode): boolean {
  return type === 'for_statement' || type === 'while_statement' || type === 'do_statement';
}

/** Halves or doubles its counter: a tree or butterfly, not a pass over data. */
export function isTree(names: Names, loop: TreeNode): boolean {
  const update = fieldOf(loop, 'update');
  if (!update) return false;
  const words = ` ${names.words(update).join(' ')} `;
  return / (?:\/=|\*=|<<=|> >=) | = \S+ (?:[/*]|<<|> >) /.test(words);
}

/**
 * How often a kernel goes over its data: loops one after the other that fill different variables. Loops that go on filling the
 * same ones, as for a remainder, are one pass, and so is one inside of another.
 */
export function dataPasses(names: Names): number {
  const body = fieldOf(names.root, 'body') ?? names.root;
  return Math.max(1, passesIn(names, body));
}

function passesIn(names: Names, scope: TreeNode): number {
  const groups: { targets: Set<string>; passes: number }[] = [];
  for (const node of walk(scope, (n) => n === scope || !isLoop(n))) {
    if (!isLoop(node) || node === scope || isTree(names, node)) continue;
    const targets = targetsOf(names, node);
    // What only fills shared memory brings data near, for the loop that uses it.
    if (targets.size > 0 && [...targets].every((t) => names.classOf(t) === 's')) continue;
    const passes = Math.max(1, passesIn(names, fieldOf(node, 'body') ?? node));
    const known = groups.find((g) => [...g.targets].some((t) => targets.has(t)));
    if (known) {
      for (const target of targets) known.targets.add(target);
      known.passes = Math.max(known.passes, passes);
    } else groups.push({ targets, passes });
  }
  return groups.reduce((sum, g) => sum + g.passes, 0);
}

/** Variables and arrays from outside of a loop that it assigns. */
function targetsOf(names: Names, loop: TreeNode): Set<string> {
  const own = new Set(
    names.declared.filter((d) => d.declaration.start >= loop.start && d.declaration.end <= loop.end).map((d) => d.name),
  );
  const targets = new Set<string>();
  const body = fieldOf(loop, 'body') ?? loop;
  for (const node of walk(body)) {
    if (node.type !== 'assignment_expression' && node.type !== 'update_expression') continue;
    let left = fieldOf(node, 'left') ?? fieldOf(node, 'argument');
    while (left && left.type !== 'identifier') left = inner(left);
    const name = left ? names.words(left)[0] : undefined;
    if (name !== undefined && !own.has(name)) targets.add(name);
  }
  return targets;
}

/** One step from what is assigned to the variable it lies in: through indices, members, casts and pointer arithmetic. */
function inner(node: TreeNode): TreeNode | undefined {
  if (node.type === 'call_expression') return fieldOf(node, 'arguments')?.children[0];
  return fieldOf(node, 'argument') ?? fieldOf(node, 'value') ?? node.children[0];
}

/** Nests that say how the work grows: a tree inside a tree is a network, not a sum over data. */
export function loopNests(names: Names): { key: string; weight: number }[] {
  const found: { key: string; weight: number }[] = [];
  for (const outer of walk(names.root)) {
    if (!isLoop(outer) || !isTree(names, outer)) continue;
    for (const inner of walk(fieldOf(outer, 'body') ?? outer)) {
      if (inner !== outer && isLoop(inner))
        found.push({ key: `${isTree(names, inner) ? 'a tree' : 'a loop'} in a tree`, weight: 3 });
    }
  }
  return found;
}
