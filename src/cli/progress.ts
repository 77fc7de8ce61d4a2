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
  private prompted: string | undefined;
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
      this.shown = text;
      if (this.prompted === undefined)
        this.draw(text.length > this.width() ? `${text.slice(0, this.width() - 1)}…` : text);
    } else if (this.shown !== stage) {
      this.shown = stage;
      this.stream.write(`${text}\n`);
    }
  }

  /** What a person types, in place of the progress until it is undefined; the end is what shows where it is too long. */
  prompt(text: string | undefined): void {
    if (!this.live) return;
    this.prompted = text;
    if (text !== undefined) this.draw(text.length > this.width() ? `…${text.slice(1 - this.width())}` : text);
    else if (this.shown !== '') this.update(this.shown);
    else this.stream.write(CLEAR);
  }

  /** A line that stays. It may be painted already: make foreign text plain first. */
  log(line: string): void {
    const { shown, prompted } = this;
    this.clear();
    this.stream.write(`${line}\n`);
    if (!this.live) return;
    this.shown = shown;
    if (prompted !== undefined) this.prompt(prompted);
    else if (shown !== '') this.update(shown);
  }

  /** Takes the updating line away; call it before results are printed. */
  clear(): void {
    if (this.live && (this.shown !== '' || this.prompted !== undefined)) this.stream.write(CLEAR);
    if (this.live) this.shown = '';
    this.prompted = undefined;
  }

  private draw(text: string): void {
    this.stream.write(CLEAR + text);
  }

  /** A terminal that does not know its width says 0. */
  private width(): number {
    return (this.stream.columns || 80) - 1;
  }
}
