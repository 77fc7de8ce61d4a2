// Edits that leave every fact as it was, such as two loops that changed places: told by where their words stand.
import type { EditedLevel } from './facts.js';
import { canonicalWords, sharedNames } from './canonical.js';
import { isLoop } from './loops.js';
import { fieldOf, type TreeNode } from './tree.js';
import { tokenAt, type Unit } from './version.js';

/** Tokens of the new version at which two versions of a function differ; only the first one where they differ in length. */
function changedTokens(before: Unit, after: Unit): number[] {
  const shared = sharedNames([before], [after]);
  const [was, is] = [canonicalWords(before, shared), canonicalWords(after, shared)];
  const changed = is.filter((word, i) => word.text !== was[i]?.text).map((word) => word.token);
  if (was.length === is.length) return changed;
  return [changed[0] ?? after.to - 1];
}

/** What a changed word says: first what says most. */
const PLACES: readonly EditedLevel[] = ['data-movement', 'decomposition', 'instructions'];
const ABOUT: Readonly<Partial<Record<EditedLevel, string>>> = {
  'data-movement': 'order of access',
  decomposition: 'loop',
  instructions: 'expression',
};

/**
 * Level of an edit by its changed words: in an index, or in what an index is made of, it moves other data; in the header of a
 * loop it divides the work otherwise; anywhere else in device code it is another instruction.
 */
export function residue(before: Unit, after: Unit, root: TreeNode): { level: EditedLevel; reason: string } | undefined {
  if (after.kind === 'host' || after.kind === 'declaration') return undefined;
  const places = changedTokens(before, after).map((token) => {
    const start = after.file.source.tokens[token]?.start ?? root.end;
    return { start, level: levelAt(after, pathTo(root, start)) };
  });
  const level = PLACES.find((l) => places.some((p) => p.level === l));
  const place = places.find((p) => p.level === level);
  return level && place && { level, reason: `${ABOUT[level] ?? ''}: ${lineAt(after, place.start)}` };
}

function levelAt(unit: Unit, path: readonly TreeNode[]): EditedLevel | undefined {
  if (path.some((n) => n.type === 'subscript_argument_list') || feedsIndex(unit, path)) return 'data-movement';
  if (path.some((n, i) => isLoop(n) && path[i + 1]?.field !== 'body')) return 'decomposition';
  return path.some((n) => n.field === 'body') ? 'instructions' : undefined;
}

function pathTo(root: TreeNode, offset: number): TreeNode[] {
  const path: TreeNode[] = [];
  for (let node: TreeNode | undefined = root; node;) {
    path.push(node);
    node = node.children.find((c) => c.start <= offset && offset < c.end);
  }
  return path;
}

/** Is what is declared or assigned here used in an index later, perhaps through one more variable? */
function feedsIndex(unit: Unit, path: readonly TreeNode[]): boolean {
  const { tokens, partners } = unit.file.source;
  const statement = path.findLast((n) => n.type === 'declaration' || n.type === 'assignment_expression');
  const target = statement && (fieldOf(statement, 'declarator') ?? fieldOf(statement, 'left'));
  const first = target && tokens[tokenAt(tokens, target.start)];
  if (!first) return false;
  for (let i = unit.from; i < unit.to; i++) {
    if (tokens[i]?.text !== '[') continue;
    for (let k = i + 1; k < (partners.get(i) ?? i); k++) if (tokens[k]?.text === first.text) return true;
  }
  return false;
}

function lineAt(unit: Unit, offset: number): string {
  const { text } = unit.file.source.source;
  const from = text.lastIndexOf('\n', offset) + 1;
  const to = text.indexOf('\n', offset);
  return text.slice(from, to === -1 ? undefined : to).trim();
}
