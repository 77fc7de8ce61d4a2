// How alike two questions are, so that none is asked twice in other clothes. Words, not meanings: a paraphrase without a common
// word is not seen.

/** Questions alike to this degree or more count as one; see docs/questions.md for how it was chosen. */
export const NEAR_DUPLICATE = 0.5;

const EMPTY = new Set(
  `a an and any are as at be been but by can could did do does for from had has have here how if in is it its just may me might
  more most much must never no not of off on one only or our own shall she should so some still such than that the their them then
  there these they this those to too until up us was we were what when where which while who whom whose why will with without
  would you your`.split(/\s+/),
);

/** Content words without their endings, each once. */
export function stems(text: string): Set<string> {
  const found = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(found.filter((word) => !EMPTY.has(word)).map(stem));
}

function stem(word: string): string {
  const base = word
    .replace(/(?:'s|ies|ied)$/, 'y')
    .replace(/(?:ing|edly|ed|ely|ly|es|s|e)$/, '')
    .replace(/([bdfglmnprt])\1$/, '$1');
  return base.length >= 3 ? base : word;
}

/**
 * Dice's coefficient of the content words (Dice, "Measures of the amount of ecologic association between species", Ecology 26,
 * 1945), each weighted by its inverse document frequency over `others`: to share a word that half the repertoire holds says
 * little. In [0, 1].
 */
export class Likeness {
  private readonly counts = new Map<string, number>();
  private readonly known: { text: string; stems: Set<string> }[];

  constructor(others: readonly string[]) {
    this.known = others.map((text) => ({ text, stems: stems(text) }));
    for (const { stems: words } of this.known) {
      for (const word of words) this.counts.set(word, (this.counts.get(word) ?? 0) + 1);
    }
  }

  /** The most similar of the others; undefined where nothing is shared. */
  nearest(text: string): { text: string; likeness: number } | undefined {
    const words = stems(text);
    let best: { text: string; likeness: number } | undefined;
    for (const other of this.known) {
      const likeness = this.between(words, other.stems);
      if (likeness > (best?.likeness ?? 0)) best = { text: other.text, likeness };
    }
    return best;
  }

  private between(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
    const shared = [...a].filter((word) => b.has(word));
    const total = this.weight(a) + this.weight(b);
    return total === 0 ? 0 : (2 * this.weight(shared)) / total;
  }

  private weight(words: Iterable<string>): number {
    let sum = 0;
    for (const word of words) sum += Math.log(1 + this.known.length / (this.counts.get(word) ?? 1));
    return sum;
  }
}
