// In what order neighbouring threads reach memory: what moves over the bus follows from it.
import type { Facts } from './facts.js';
import type { Names } from './names.js';
import { fieldOf, walk, type TreeNode } from './tree.js';

/** Neighbours read neighbouring elements, elements at a distance, or the same one. */
type Order = 'side by side' | 'apart' | 'the same for all';

/** Every order that loads and stores of global memory are made in. */
export function orderFacts(names: Names, facts: Facts): void {
  const orders = new Orders(names);
  const stores = new Set<TreeNode>();
  for (const node of walk(names.root)) {
    const left = node.type === 'assignment_expression' ? fieldOf(node, 'left') : undefined;
    if (left) stores.add(left);
    const order = orders.ofAccess(node);
    if (order === 'the same for all') continue;
    const key = `${stores.has(node) ? 'stores' : 'loads'} ${order}`;
    facts.add('data-movement', 0, 'order of access', key, `${key}, as ${names.shown(node)}`);
  }
}

function worst(orders: readonly Order[]): Order {
  return orders.find((o) => o === 'apart') ?? orders.find((o) => o === 'side by side') ?? 'the same for all';
}

/** How expressions and variables follow the index of a thread along x. */
class Orders {
  private readonly variables = new Map<string, Order>();

  constructor(private readonly names: Names) {
    // In the order of the text, so that what is computed from another variable finds it.
    for (const { name, declarator } of names.declared) {
      const value = declarator.type === 'init_declarator' ? fieldOf(declarator, 'value') : undefined;
      if (value) this.variables.set(name, this.of(value));
    }
  }

  /** Of an access through `p[i]`, `*(p + i)` or `__ldg(p + i)`; the same for all where it is none to global memory. */
  ofAccess(node: TreeNode): Order {
    if (node.type === 'subscript_expression') {
      const base = fieldOf(node, 'argument');
      const isGlobal = base?.type === 'identifier' && this.names.classOf(this.names.words(base)[0] ?? '') === 'p';
      const index = node.children.find((c) => c.type === 'subscript_argument_list');
      return isGlobal && index ? worst([this.of(base), this.of(index)]) : 'the same for all';
    }
    const words = this.names.words(node);
    const isLoad = node.type === 'call_expression' && /^__ld/.test(words[0] ?? '');
    const isPointed = node.type === 'pointer_expression' && words[0] === '*';
    const address = isLoad ? fieldOf(node, 'arguments') : isPointed ? fieldOf(node, 'argument') : undefined;
    return address ? this.of(address) : 'the same for all';
  }

  of(node: TreeNode): Order {
    const words = this.names.words(node);
    if (node.type === 'field_expression') {
      return words.join('') === 'threadIdx.x' ? 'side by side' : 'the same for all';
    }
    if (node.type === 'identifier') return this.variables.get(words[0] ?? '') ?? 'the same for all';
    // What is loaded is not the address it is loaded from.
    if (node.type === 'subscript_expression') return 'the same for all';
    const orders = node.children.map((child) => this.of(child));
    const operator = fieldOf(node, 'operator');
    const sign = operator ? this.names.words(operator)[0] : undefined;
    const isScaled =
      node.type === 'binary_expression' && (sign === '*' || sign === '/' || sign === '<<' || sign === '^');
    const found = worst(orders);
    return isScaled && found === 'side by side' ? 'apart' : found;
  }
}
