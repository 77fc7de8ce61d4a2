// A search space: named dimensions, a restriction, and the discrete geometry that optimisers move in.

export type Scalar = number | string | boolean;
export type Configuration = Readonly<Record<string, Scalar>>;

export type Dimension =
  /** Numbers whose order matters and whose spacing does not: `64, 128, 256`. */
  | { kind: 'ordinal'; name: string; values: readonly number[] }
  /** low, low + step, … up to and including high. */
  | { kind: 'integer'; name: string; low: number; high: number; step?: number }
  | { kind: 'categorical'; name: string; values: readonly Scalar[] }
  | { kind: 'boolean'; name: string };

export type Restriction = (configuration: Configuration) => boolean;

/** Discrete and finite. A point is one value index per dimension, in the order of the dimensions. */
export class Space {
  /** Points of the full grid, restricted ones included. */
  readonly size: number;
  private readonly domains: readonly (readonly Scalar[])[];
  private readonly positions: readonly ReadonlyMap<Scalar, number>[];

  /**
   * @param allows what a configuration must satisfy to be worth compiling; absent: everything is allowed
   * @throws RangeError on a dimension without values, with a value or a name twice, or a space too large to number
   */
  constructor(
    readonly dimensions: readonly Dimension[],
    private readonly allows: Restriction = () => true,
  ) {
    this.domains = dimensions.map(domain);
    this.positions = this.domains.map((values) => new Map(values.map((v, i) => [v, i])));
    dimensions.forEach(({ name }, i) => {
      if (dimensions.findIndex((d) => d.name === name) !== i) throw new RangeError(`dimension ${name} is given twice`);
      if (this.positions[i]?.size !== this.domains[i]?.length)
        throw new RangeError(`dimension ${name} repeats a value`);
      if (this.domains[i]?.length === 0) throw new RangeError(`dimension ${name} has no values`);
    });
    this.size = this.domains.reduce((n, values) => n * values.length, 1);
    if (!Number.isSafeInteger(this.size)) throw new RangeError('the space has more than 2^53 points');
  }

  /** Values of one dimension in their order. */
  values(dimension: number): readonly Scalar[] {
    return this.domains[dimension] ?? [];
  }

  /** True where the order of the values means something. */
  isOrdered(dimension: number): boolean {
    const kind = this.dimensions[dimension]?.kind;
    return kind === 'ordinal' || kind === 'integer';
  }

  /** The grid point with this number, 0 to size - 1, whether or not the restriction allows it. */
  at(index: number): Configuration {
    const entries: [string, Scalar][] = [];
    for (let d = this.dimensions.length - 1; d >= 0; --d) {
      const values = this.values(d);
      entries.push([this.dimensions[d]?.name ?? '', values[index % values.length] as Scalar]);
      index = Math.floor(index / values.length);
    }
    return Object.fromEntries(entries.reverse());
  }

  /** Value indices by dimension, or undefined when a value is missing, unknown, or one too many. */
  point(configuration: Configuration): number[] | undefined {
    if (Object.keys(configuration).length !== this.dimensions.length) return undefined;
    const point: number[] = [];
    for (const [d, { name }] of this.dimensions.entries()) {
      const value = Object.hasOwn(configuration, name) ? configuration[name] : undefined;
      const position = value === undefined ? undefined : this.positions[d]?.get(value);
      if (position === undefined) return undefined;
      point.push(position);
    }
    return point;
  }

  configuration(point: readonly number[]): Configuration {
    return Object.fromEntries(this.dimensions.map(({ name }, d) => [name, this.values(d)[point[d] ?? 0] as Scalar]));
  }

  /** On the grid and allowed by the restriction. */
  contains(configuration: Configuration): boolean {
    return this.point(configuration) !== undefined && this.allows(configuration);
  }

  /** Allowed configurations one step away: the next value up or down where order matters, any other value elsewhere. */
  neighbours(configuration: Configuration): Configuration[] {
    const point = this.point(configuration);
    if (!point) return [];
    return point.flatMap((here, d) => {
      const others = this.isOrdered(d) ? [here - 1, here + 1] : this.values(d).map((_, i) => i);
      return others
        .filter((i) => i !== here && i >= 0 && i < this.values(d).length)
        .map((i) => this.configuration(point.with(d, i)))
        .filter(this.allows);
    });
  }

  /** Allowed configurations, counted up to `limit` and no further. */
  count(limit: number): number {
    let n = 0;
    for (let i = 0; i < this.size && n < limit; ++i) if (this.allows(this.at(i))) ++n;
    return n;
  }
}

function domain(dimension: Dimension): readonly Scalar[] {
  switch (dimension.kind) {
    case 'ordinal':
      return [...dimension.values].sort((a, b) => a - b);
    case 'categorical':
      return dimension.values;
    case 'boolean':
      return [false, true];
    case 'integer': {
      const { low, high, step = 1, name } = dimension;
      if (![low, high, step].every(Number.isSafeInteger) || step < 1) {
        throw new RangeError(`dimension ${name} needs whole low, high and a step of at least 1`);
      }
      const length = Math.max(0, Math.floor((high - low) / step) + 1);
      if (length > 2 ** 16) throw new RangeError(`dimension ${name} has ${length} values, more than 2^16; give a step`);
      return Array.from({ length }, (_, i) => low + i * step);
    }
  }
}
