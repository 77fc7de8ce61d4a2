// CSV as NVIDIA's tools print it: rows shorter than their header, and lines of the profiler and the application between them.
import { parse } from 'csv-parse/sync';

/**
 * The cells of every CSV row in `text`, in order. Every cell is quoted there, so a line that does not begin with a quote is
 * none: the application's own output, or a remark of the profiler (`==PROF== …`). A row that is broken is left out alone.
 */
export function readRows(text: string): string[][] {
  const lines = text.split(/\r?\n/).filter((line) => line.startsWith('"'));
  return cells(lines.join('\n')) ?? lines.flatMap((line) => cells(line) ?? []);
}

/** Undefined where the text is not CSV. */
function cells(text: string): string[][] | undefined {
  try {
    return parse(text, { relax_column_count: true });
  } catch {
    return undefined;
  }
}
