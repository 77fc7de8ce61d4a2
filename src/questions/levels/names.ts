// The names of one function by what they stand for, and expressions with those in the place of the names: what is left is free
// of names, so that a rename changes no fact.
import { expanded } from './constants.js';
import { isFixed } from './canonical.js';
import { fieldOf, walk, type TreeNode } from './tree.js';
import { tokenAt, type Unit } from './version.js';

/** Integer, floating point, pointer, array in shared memory, array of a thread, launch dimensions, stream, anything else. */
export type NameClass = 'i' | 'f' | 'p' | 's' | 'r' | 'd' | 'q' | 'v';

const FLOATING = /\b(float|double|half|__half|__nv_bfloat16|nv_bfloat16)\b/;
const INTEGER = /\b(int|unsigned|long|short|char|bool|size_t|u?int\d+_t|uint|ushort|uchar|ptrdiff_t)\b/;

/** One declared variable. */
export interface Declared {
  name: string;
  class: NameClass;
  /** Type as written, without qualifiers and stars. */
  type: string;
  /** Sizes of an array, as they stand with constants replaced; empty string for `[]`. */
  sizes: string[];
  declarator: TreeNode;
  declaration: TreeNode;
}

/** Reads expressions of one function. */
export class Names {
  readonly declared: Declared[] = [];
  private readonly classes = new Map<string, NameClass>();

  constructor(
    readonly unit: Unit,
    readonly root: TreeNode,
  ) {
    for (const node of walk(root)) {
      if (['declaration', 'parameter_declaration', 'optional_parameter_declaration'].includes(node.type)) {
        this.declare(node);
      }
    }
  }

  classOf(name: string): NameClass | undefined {
    return this.classes.get(name);
  }

  /** The words of a node as written. */
  words(node: Pick<TreeNode, 'start' | 'end'>): string[] {
    const { tokens } = this.unit.file.source;
    const words: string[] = [];
    for (let i = tokenAt(tokens, node.start); i < tokens.length && (tokens[i]?.start ?? 0) < node.end; i++) {
      words.push(tokens[i]?.text ?? '');
    }
    return words;
  }

  /** Its text on one line. */
  shown(node: Pick<TreeNode, 'start' | 'end'>): string {
    return this.unit.file.source.source.text.slice(node.start, node.end).replace(/\s+/g, ' ').trim();
  }

  /** Its words with constants replaced and names by their class. */
  normal(node: Pick<TreeNode, 'start' | 'end'>): string {
    return this.normalWords(this.words(node));
  }

  normalWords(words: readonly string[]): string {
    const { constants } = this.unit.file;
    const normal = words.flatMap((word, i) => {
      if (!/^[\p{L}_]/u.test(word)) return [numberOf(word)];
      if (words[i - 1] === '.' || words[i - 1] === '->') return [word];
      if (constants.has(word)) return expanded(constants, word);
      const bound = this.unit.values.get(word);
      if (bound !== undefined) return [bound];
      const known = this.classes.get(word);
      if (known !== undefined) return [`$${known}`];
      return [isFixed(word) || words[i + 1] === '(' || words[i + 1] === '::' ? word : '$v'];
    });
    return normal.join(' ').replace(/\( (\S+) \)/g, '$1');
  }

  private declare(declaration: TreeNode): void {
    const declarators = declaration.children.filter((c) => c.field === 'declarator');
    const first = declarators[0];
    if (!first) return;
    const { tokens } = this.unit.file.source;
    const header = this.words({ start: declaration.start, end: first.start });
    // Qualifiers in front are blanked out of the tree.
    for (let i = tokenAt(tokens, declaration.start) - 1; i >= this.unit.from; i--) {
      const word = tokens[i]?.text ?? '';
      if (!/^(__\w+|static|extern|[\d()])$/.test(word)) break;
      header.unshift(word);
    }
    const type = header
      .filter((w) => !/^(__\w+__|const|static|extern|constexpr|volatile|register|\*|&|[()]|\d+)$/.test(w))
      .join(' ');
    for (const declarator of declarators) {
      const sizes: string[] = [];
      let isPointer = declaration.type === 'parameter_declaration' && header.includes('*');
      let node: TreeNode | undefined = declarator;
      while (node && node.type !== 'identifier') {
        if (node.type === 'pointer_declarator') isPointer = true;
        if (node.type === 'function_declarator') return;
        if (node.type === 'array_declarator') {
          const size = fieldOf(node, 'size');
          sizes.unshift(size ? this.normal(size) : '');
        }
        node = fieldOf(node, 'declarator') ?? node.children[0];
      }
      if (!node) continue;
      const name = this.words(node)[0] ?? '';
      const kind = classOf(type, header.includes('__shared__'), isPointer, sizes.length > 0);
      this.classes.set(name, this.classes.has(name) && this.classes.get(name) !== kind ? 'v' : kind);
      this.declared.push({ name, class: kind, type, sizes, declarator, declaration });
    }
  }
}

function classOf(type: string, isShared: boolean, isPointer: boolean, isArray: boolean): NameClass {
  if (isShared) return 's';
  if (isPointer) return 'p';
  if (isArray) return 'r';
  if (type === 'dim3') return 'd';
  if (/\bcudaStream_t\b/.test(type)) return 'q';
  if (FLOATING.test(type)) return 'f';
  return INTEGER.test(type) ? 'i' : 'v';
}

/** `1.0f`, `1.f` and `1.00f` alike. */
function numberOf(word: string): string {
  const match = /^(\d*\.\d*|\d+)(f|F)?$/.exec(word);
  return match?.[1]?.includes('.') === true ? `${Number(match[1])}.${match[2] ? 'f' : ''}` : word;
}
