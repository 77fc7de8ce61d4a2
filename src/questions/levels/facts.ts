// What a version of the sources does, as counted facts, each at one level; the edit is the difference of two such counts.
import type { Level } from '../types.js';

/** Levels that an edit can change. */
export type EditedLevel = Exclude<Level, 'objective'>;

export interface Fact {
  level: EditedLevel;
  /** How much one more or one less says about the level. */
  weight: number;
  /** What it is about: `blocks and threads`. */
  about: string;
  /** As written in the source. */
  shown: string;
  count: number;
}

/** Facts by what makes two of them the same; names and formatting do not. */
export class Facts {
  readonly byKey = new Map<string, Fact>();

  /** @param key what it is, free of names */
  add(level: EditedLevel, weight: number, about: string, key: string, shown = key): void {
    const id = `${level}|${about}|${key}`;
    const known = this.byKey.get(id);
    if (known) known.count += 1;
    else this.byKey.set(id, { level, weight, about, shown, count: 1 });
  }
}

export interface Difference {
  fact: Fact;
  /** Above 0: how many more there are now. */
  change: number;
}

export function differences(before: Facts, after: Facts): Difference[] {
  const found: Difference[] = [];
  for (const [id, fact] of before.byKey) {
    const change = (after.byKey.get(id)?.count ?? 0) - fact.count;
    if (change < 0) found.push({ fact, change });
  }
  for (const [id, fact] of after.byKey) {
    const change = fact.count - (before.byKey.get(id)?.count ?? 0);
    if (change > 0) found.push({ fact, change });
  }
  return found;
}
