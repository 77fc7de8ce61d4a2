// The few facts of a task file that lenses need, read leniently: a half-typed task still belongs to its sources.
import { findNodeAtLocation, parse, parseTree } from 'jsonc-parser';

export interface TaskOutline {
  /** As written, relative to the task file. */
  sources: string[];
  /** Unqualified name of the host function, or of the bare kernel without template arguments. */
  entry?: string;
  kernel?: string;
}

/** Never throws; what is missing or of another type is left out. */
export function outlineTask(text: string): TaskOutline {
  const value: unknown = parse(text, [], { allowTrailingComma: true });
  if (typeof value !== 'object' || value === null) return { sources: [] };
  const task = value as Record<string, unknown>;
  const sources = [task['source'], ...(Array.isArray(task['sources']) ? (task['sources'] as unknown[]) : [])];
  const entry = lastName(task['entry']);
  const kernel = lastName(task['kernel']);
  return {
    sources: sources.filter((s) => typeof s === 'string'),
    ...(entry !== undefined && { entry }),
    ...(kernel !== undefined && { kernel }),
  };
}

function lastName(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return /([A-Za-z_]\w*)\s*(<.*)?$/s.exec(value.replace(/<.*$/s, ''))?.[1];
}

/**
 * Where a JSON path such as `$.arguments[2].shape` lies in the text; the nearest enclosing value that exists,
 * so that an error about a missing field lands on the object that misses it.
 */
export function locateJsonPath(text: string, jsonPath: string): { offset: number; length: number } | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (!root) return undefined;
  const segments = [...jsonPath.matchAll(/\.([^.[\]]+)|\[(\d+)\]/g)].map((m) => m[1] ?? Number(m[2]));
  for (let n = segments.length; n > 0; n -= 1) {
    const node = findNodeAtLocation(root, segments.slice(0, n));
    if (!node) continue;
    const shown = n === segments.length ? node : (node.parent?.children?.[0] ?? node);
    return { offset: shown.offset, length: shown.length };
  }
  return { offset: root.offset, length: 1 };
}
