// Progress on standard error: one line that updates itself on a terminal, plain lines elsewhere.
import { plainLine } from '../report/plain.js';

const CLEAR = '\r\u001b[2K';

export interface ProgressStream {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

export class ProgressLine {
  private shown = '';
  private readonly live: boolean;

  constructor(
    private readonly stream: ProgressStream,
    env: Readonly<Record<string, string | undefined>>,
  ) {
    this.live = stream.isTTY === true && env.TERM !== 'dumb';
  }

  /**
   * What is going on now. Off a terminal only a new `stage` is printed, so that a log stays short.
   * @param stage the part that changes rarely
   */
  update(stage: string, detail = ''): void {
    const text = plainLine(detail === '' ? stage : `${stage} · ${detail}`);
    if (this.live) {
      // A terminal that does not know its width says 0.
      const width = (this.stream.columns || 80) - 1;
      this.stream.write(CLEAR + (text.length > width ? `${text.slice(0, width - 1)}…` : text));
      this.shown = text;
    } else if (this.shown !== stage) {
      this.shown = stage;
      this.stream.write(`${text}\n`);
    }
  }

  /** A line that stays. It may be painted already: make foreign text plain first. */
  log(line: string): void {
    const again = this.shown;
    this.clear();
    this.stream.write(`${line}\n`);
    if (this.live && again !== '') this.update(again);
  }

  /** Takes the updating line away; call it before results are printed. */
  clear(): void {
    if (this.live && this.shown !== '') this.stream.write(CLEAR);
    if (this.live) this.shown = '';
  }
}
