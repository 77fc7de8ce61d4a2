// One cell of a profiler's table as a number in its base unit: bytes, hertz, seconds, and whatever else is counted.

export interface Quantity {
  /** In `unit`. */
  value: number;
  /** Base unit: `byte`, `byte/s`, `s`, `hz`, `%`, `inst/cycle`, …; empty for a bare number. */
  unit: string;
}

/** Digits in groups of three, as the C locale groups them, or none; a comma elsewhere is another locale's and not read. */
const NUMBER = /^[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const DECIMAL: Record<string, number> = { K: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 };
/** In seconds. */
const TIME: Record<string, number> = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1 };
const LONG_TIME: Record<string, string> = { nsecond: 'ns', usecond: 'us', msecond: 'ms', second: 's' };

/** The number in a cell; undefined for an empty one, `n/a`, `nan`, `no data`, text, and numbers of another locale. */
export function readNumber(cell: string): number | undefined {
  const text = cell.trim();
  if (!/\d/.test(text) || !NUMBER.test(text)) return undefined;
  const value = Number(text.replaceAll(',', ''));
  return Number.isFinite(value) ? value : undefined;
}

/** The cell in its base unit. `Mbyte` is 10⁶ bytes. */
export function readQuantity(cell: string, unit: string): Quantity | undefined {
  const value = readNumber(cell);
  if (value === undefined) return undefined;
  const [above = '', below] = unit.trim().split('/', 2);
  const top = baseOf(above);
  const bottom = below === undefined ? { unit: '', factor: 1 } : baseOf(below);
  return {
    value: scaled(value, top.factor / bottom.factor),
    unit: bottom.unit ? `${top.unit}/${bottom.unit}` : top.unit,
  };
}

function baseOf(unit: string): { unit: string; factor: number } {
  const time = TIME[LONG_TIME[unit] ?? unit];
  if (time !== undefined) return { unit: 's', factor: time };
  const [, prefix, base] = /^([KMGTP])(byte|hz|bit)s?$/i.exec(unit) ?? [];
  const factor = prefix === undefined ? undefined : DECIMAL[prefix.toUpperCase()];
  return factor !== undefined && base !== undefined ? { unit: base.toLowerCase(), factor } : { unit, factor: 1 };
}

/** Scales to the digits that a double holds, so that 67.524608 Mbyte are 67524608 bytes. */
function scaled(value: number, factor: number): number {
  return factor === 1 ? value : Number((value * factor).toPrecision(15));
}
