// A small seeded random source: xoshiro128** (Blackman and Vigna, "Scrambled linear pseudorandom number generators",
// ACM TOMS 47(4), 2021), its state filled by SplitMix32, the 32-bit finaliser of MurmurHash3 over a Weyl sequence.
// Of our own, so that one seed gives one sequence on every engine and version.

export class RandomSource {
  private readonly state: Uint32Array;

  /** @param seed any safe integer; its low and high 32 bits both count. */
  constructor(seed: number) {
    const low = seed >>> 0;
    const high = Math.floor(seed / 2 ** 32) >>> 0;
    this.state = Uint32Array.from([1, 2, 3, 4], (i) => mix(low + Math.imul(i, 0x9e3779b9)) ^ mix(high + i));
    // The all-zero state is the one fixed point.
    if (this.state.every((word) => word === 0)) this.state[0] = 1;
  }

  /** Starts from four words of state as the published test vectors do. */
  static fromState(words: readonly [number, number, number, number]): RandomSource {
    const source = new RandomSource(0);
    source.state.set(words);
    return source;
  }

  /** A uniform integer in [0, 2^32). */
  uint32(): number {
    const s = this.state;
    const [s0, s1, s2, s3] = [s[0] ?? 0, s[1] ?? 0, s[2] ?? 0, s[3] ?? 0];
    const result = Math.imul(rotateLeft(Math.imul(s1, 5), 7), 9) >>> 0;
    const c = s2 ^ s0;
    const d = s3 ^ s1;
    s[1] = s1 ^ c;
    s[0] = s0 ^ d;
    s[2] = c ^ (s1 << 9);
    s[3] = rotateLeft(d, 11);
    return result;
  }

  /** A uniform double in [0, 1) with 53 random bits. */
  unit(): number {
    return ((this.uint32() >>> 5) * 2 ** 26 + (this.uint32() >>> 6)) / 2 ** 53;
  }

  /** A uniform integer in [0, count); count at least 1. */
  below(count: number): number {
    return Math.floor(this.unit() * count);
  }

  /** A standard normal variate (Box and Muller, Annals of Mathematical Statistics 29(2), 1958), one of each pair. */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.unit())) * Math.cos(2 * Math.PI * this.unit());
  }

  /** A new array in random order (Fisher and Yates). */
  shuffled<T>(items: readonly T[]): T[] {
    const out = [...items];
    for (let i = out.length - 1; i > 0; --i) {
      const j = this.below(i + 1);
      [out[i], out[j]] = [out[j] as T, out[i] as T];
    }
    return out;
  }
}

function rotateLeft(x: number, k: number): number {
  return (x << k) | (x >>> (32 - k));
}

function mix(x: number): number {
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}
