// How an edit is labelled, and how it is written down.
import type { EditedLevel } from '../../src/questions/levels/facts.js';

export interface Label {
  /** Levels the edit is at, the weightiest first; none for an edit without effect. */
  levels: EditedLevel[];
  /** Levels that may be named or left out: readers would differ. */
  may?: EditedLevel[];
}

/** An edit as replacements in a file of this repository, each of text that occurs there exactly once. */
export interface WrittenEdit extends Label {
  name: string;
  /** Path from the root of the repository. */
  file: string;
  replace: [old: string, by: string][];
}
