// A plain table with aligned columns.

export interface Column {
  title: string;
  align?: 'left' | 'right';
}

/** Lines of a table: the titles, then one line a row. Cells must be plain, on one line, before they are painted. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  paintCell: (text: string, row: number, column: number) => string = (text) => text,
): string[] {
  const widths = columns.map((c, i) => Math.max(c.title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[], row: number) =>
    columns
      .map(({ align }, i) => {
        const text = cells[i] ?? '';
        const gap = ' '.repeat((widths[i] ?? 0) - text.length);
        const painted = row < 0 ? text : paintCell(text, row, i);
        return align === 'right' ? gap + painted : painted + gap;
      })
      .join('  ')
      .trimEnd();
  return [
    line(
      columns.map((c) => c.title),
      -1,
    ),
    ...rows.map(line),
  ];
}
