// Whether sources are ones that a task may be given.
import { LIMITS, type SourceFile } from '../../remote-runner/protocol.js';

/**
 * Refuses sources whose paths are not exactly the original's: a strategy writes the task's sources and nothing else.
 * @throws Error naming the path
 */
export function checkSources(original: readonly SourceFile[], proposed: readonly SourceFile[]): void {
  const paths = new Set(original.map((s) => s.path));
  for (const { path, text } of proposed) {
    if (!paths.delete(path)) throw new Error(`${path} is not a source of this task, or was given twice`);
    if (text.length > LIMITS.source) throw new Error(`${path} is longer than ${LIMITS.source} characters`);
  }
  const [missing] = paths;
  if (missing !== undefined) throw new Error(`${missing} is missing from the candidate`);
}
