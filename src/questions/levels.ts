// An edit → the levels it changed, read from the syntax tree of both versions. Pure and never throws for what the text holds.
import type { SourceFile } from '../../remote-runner/protocol.js';
import type { KernelParser } from '../kernel/parser.js';
import { changedUnits, onlyConstants } from './levels/canonical.js';
import { compilerFacts, pragmaFacts } from './levels/compiler.js';
import { deviceFacts, loadsAhead, rotation } from './levels/device.js';
import { differences, Facts, type Difference, type EditedLevel, type Fact } from './levels/facts.js';
import { hostFacts } from './levels/host.js';
import { Names } from './levels/names.js';
import { residue } from './levels/residue.js';
import { readTree, type TreeNode } from './levels/tree.js';
import { readVersion, type Unit, type Version } from './levels/version.js';

/** One level that an edit changed. */
export interface LevelChange {
  level: EditedLevel;
  /** How much of the edit is at this level; for ordering only. */
  weight: number;
  /** What in the edit says so, to be shown: `blocks and threads: rows, 256 → rows, 128`. */
  reason: string;
}

/** A level with less than this is noise, as is one with less than this share of the weightiest. */
const LEAST = 1;
const LEAST_SHARE = 0.15;

/**
 * Levels that differ between two versions of the sources, the weightiest first. A rename, a comment or formatting changes none.
 */
export function classifyEdit(
  parser: KernelParser,
  before: readonly SourceFile[],
  after: readonly SourceFile[],
): LevelChange[] {
  const [was, is] = [readVersion(parser, before), readVersion(parser, after)];
  const changed = changedUnits(was.units, is.units);
  const trees = new Map<Unit, TreeNode>();
  const [old, now] = [factsOf(parser, was, changed.before, trees), factsOf(parser, is, changed.after, trees)];
  const weightOf = onlyConstants(changed.before, changed.after) ? weightOfConstant : ({ weight }: Fact) => weight;
  const found = weighed([...differences(old, now), ...consequences(old, now)], weightOf);
  if (found.length > 0) return found;
  for (const unit of changed.after) {
    const before = changed.before.find((u) => u.kind === unit.kind && u.found?.name === unit.found?.name);
    const tree = trees.get(unit);
    const rest = before && tree && residue(before, unit, tree);
    if (rest) return [{ ...rest, weight: LEAST }];
  }
  return [];
}

function factsOf(parser: KernelParser, version: Version, units: readonly Unit[], trees: Map<Unit, TreeNode>): Facts {
  const facts = new Facts();
  for (const file of version.files) pragmaFacts(file, facts);
  for (const unit of units) {
    compilerFacts(unit, facts);
    if (!unit.found) declarationFacts(unit, facts);
    if (!unit.found) continue;
    const { found, file } = unit;
    const text = file.source.masked.slice(found.start, found.end);
    const tree = parser.withTree(text, (t) => readTree(t, found.start));
    trees.set(unit, tree);
    const names = new Names(unit, tree);
    if (unit.kind === 'host') {
      hostFacts(names, facts);
    } else {
      deviceFacts(names, facts);
      loadsAhead(names, facts);
      rotation(names, facts);
    }
  }
  return facts;
}

function declarationFacts({ file, from, to }: Unit, facts: Facts): void {
  const words = file.source.tokens.slice(from, to).map((t) => t.text);
  if (words.includes('__constant__'))
    facts.add('memory-hierarchy', 3, 'constant memory', '__constant__', words.join(' '));
}

/** Facts of which it only counts whether there are any. */
const PRESENCE: Readonly<Record<string, number>> = { dtype: 3, 'order of access': 1.5 };

/** What follows from facts together: another dtype, a second stage of a buffer. */
function consequences(before: Facts, after: Facts): Difference[] {
  const found: Difference[] = [];
  const count = (facts: Facts, id: string): number => facts.byKey.get(id)?.count ?? 0;
  for (const [id, fact] of new Map([...before.byKey, ...after.byKey])) {
    const [was, is] = [count(before, id), count(after, id)];
    const weight = PRESENCE[fact.about];
    if (weight !== undefined && (was === 0) !== (is === 0)) {
      found.push({ fact: { ...fact, weight }, change: is > 0 ? 1 : -1 });
    }
    const stages = /^\[[2-8]\] (\[.+)$/.exec(id.split('|')[2] ?? '');
    if (!fact.about.includes('shared memory') || is <= was || !stages) continue;
    const single = ['tile in shared memory', 'shared memory'].some(
      (about) => count(before, `memory-hierarchy|${about}|${stages[1] ?? ''}`) > 0,
    );
    if (single) found.push({ fact: { ...fact, level: 'overlap', weight: 5, about: 'stages of a buffer' }, change: 1 });
  }
  return found;
}

/**
 * A constant is what it is mainly for: the size of a block says so in the launch, though loops and scratch arrays follow it; the
 * size of a tile in the array that holds it.
 */
function weightOfConstant({ about, weight }: Fact): number {
  if (about === 'blocks and threads') return 3;
  if (about === 'shared memory' || about === 'loop' || about === 'loop of a tree' || about === 'access')
    return weight / 3;
  return weight;
}

/** Many facts about the same say little more than two. */
const MOST_ABOUT = 2;

function weighed(found: readonly Difference[], weightOf: (fact: Fact) => number): LevelChange[] {
  const levels = [...new Set(found.map((d) => d.fact.level))];
  const changes = levels.map((level): LevelChange => {
    const all = found.filter((d) => d.fact.level === level);
    const abouts = [...new Set(all.map((d) => d.fact.about))].map((about) => {
      const same = all
        .filter((d) => d.fact.about === about)
        .map((d) => ({ w: weightOf(d.fact), n: Math.abs(d.change) }));
      return Math.min(
        same.reduce((sum, { w, n }) => sum + w * n, 0),
        MOST_ABOUT * Math.max(...same.map(({ w }) => w)),
      );
    });
    return { level, weight: abouts.reduce((sum, w) => sum + w, 0), reason: reasonOf(all) };
  });
  const most = Math.max(0, ...changes.map((c) => c.weight));
  return changes.filter((c) => c.weight >= LEAST && c.weight >= LEAST_SHARE * most).sort((a, b) => b.weight - a.weight);
}

const LONGEST_SHOWN = 60;

/** The weightiest differences in words, what replaces what first. */
function reasonOf(found: readonly Difference[]): string {
  const abouts = [...new Set([...found].sort((a, b) => b.fact.weight - a.fact.weight).map((d) => d.fact.about))];
  return abouts
    .slice(0, 2)
    .map((about) => {
      const shown = (sign: number): string | undefined => {
        const fact = found.find((d) => d.fact.about === about && Math.sign(d.change) === sign)?.fact.shown;
        return fact !== undefined && fact.length > LONGEST_SHOWN ? `${fact.slice(0, LONGEST_SHOWN)}…` : fact;
      };
      const [was, is] = [shown(-1), shown(1)];
      if (was !== undefined && is !== undefined) return `${about}: ${was} → ${is}`;
      return is !== undefined ? `${about}: ${is}` : `${about}: no more ${was ?? ''}`;
    })
    .join('; ');
}
