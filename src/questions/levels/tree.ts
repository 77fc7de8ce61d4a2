// A part of the syntax tree as plain objects: read once through a cursor, then walked without the parser's memory.
import type { Tree } from 'web-tree-sitter';

export interface TreeNode {
  type: string;
  /** Name of the field it fills in its parent; empty where it has none. */
  field: string;
  /** Offsets into the file. */
  start: number;
  end: number;
  /** Named children, and operators. */
  children: TreeNode[];
}

/** Deeper nesting than any kernel has is cut off: what walks the tree may recurse. */
const DEEPEST = 300;
/** Larger functions are read to this many nodes. */
const MOST_NODES = 400_000;

/** @param offset of the parsed text in its file */
export function readTree(tree: Tree, offset: number): TreeNode {
  const cursor = tree.walk();
  const make = (): TreeNode => ({
    type: cursor.nodeType,
    field: cursor.currentFieldName ?? '',
    start: cursor.startIndex + offset,
    end: cursor.endIndex + offset,
    children: [],
  });
  const root = make();
  const path = [root];
  let nodes = 1;
  let goesDown = true;
  try {
    for (;;) {
      if (goesDown && path.length < DEEPEST && nodes < MOST_NODES && cursor.gotoFirstChild()) {
        // Nothing to do: the child is read below.
      } else if (cursor.gotoNextSibling()) {
        path.pop();
      } else {
        if (path.length <= 1 || !cursor.gotoParent()) return root;
        path.pop();
        goesDown = false;
        continue;
      }
      const node = make();
      nodes += 1;
      if (cursor.nodeIsNamed || node.field === 'operator') path.at(-1)?.children.push(node);
      path.push(node);
      goesDown = cursor.nodeIsNamed;
    }
  } finally {
    cursor.delete();
  }
}

export function fieldOf(node: TreeNode, field: string): TreeNode | undefined {
  return node.children.find((child) => child.field === field);
}

/** All nodes below one, itself first, in the order of the text; `enter` may refuse to go into one. */
export function* walk(node: TreeNode, enter: (node: TreeNode) => boolean = () => true): Generator<TreeNode> {
  const stack = [node];
  for (let at = stack.pop(); at; at = stack.pop()) {
    yield at;
    if (!enter(at)) continue;
    for (let i = at.children.length - 1; i >= 0; i--) {
      const child = at.children[i];
      if (child) stack.push(child);
    }
  }
}
