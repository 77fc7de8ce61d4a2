// The parts of a good error message: a JSON path, a value cut to size, the nearest known name.

/** `$.arguments[2].shape[0]` */
export function jsonPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((at, key) => {
    if (typeof key === 'number') return `${at}[${key}]`;
    const name = String(key);
    return /^[A-Za-z_$][\w$]*$/.test(name) ? `${at}.${name}` : `${at}[${JSON.stringify(name)}]`;
  }, '$');
}

/** What lies at a path, undefined if nothing does. */
export function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<PropertyKey, unknown>)[key]
        : undefined,
    root,
  );
}

/** A value as JSON on one line, cut to a length that fits a message. */
export function show(value: unknown): string {
  const json = JSON.stringify(value, (_key, v: unknown) => (typeof v === 'bigint' ? String(v) : v)) ?? String(value);
  return json.length > 80 ? `${json.slice(0, 77)}…` : json;
}

/** The known name nearest to what was written, if one is near enough to be meant. */
export function nearest(written: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(Math.min(written.length, 30) / 3)) + 1;
  for (const name of known) {
    const distance = editDistance(written.toLowerCase().slice(0, 30), name.toLowerCase());
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  return best;
}

/** Edits between two words, neighbours swapped counting as one edit. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitute = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substitute, swap));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
