// The seat beside the agent in the terminal: shows what is asked, takes what is typed, at any time.
import type { Paint } from '../report/paint.js';
import { plainLine } from '../report/plain.js';
import type { OpenQuestion } from '../session/asking/asker.js';
import type { SessionLink } from '../session/link.js';
import { LineEditor, type KeyStream } from './line-editor.js';
import type { ProgressLine } from './progress.js';
import { saidIn } from './seat-input.js';
import { clock, HELP, questionLines } from './seat-lines.js';

export interface TerminalSeatOptions {
  link: SessionLink;
  input: KeyStream;
  progress: ProgressLine;
  paint: Paint;
  columns: () => number;
  /** Ctrl-C. */
  onInterrupt: () => void;
  /** The person wants to leave the session running. */
  onDetach: () => void;
}

/** True where a person can sit: what is shown and what is typed are a terminal. */
export function canSit(input: { isTTY?: boolean }, output: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  return input.isTTY === true && output.isTTY === true && env['TERM'] !== 'dumb';
}

export class TerminalSeat {
  private readonly editor: LineEditor;
  private open: OpenQuestion | undefined;
  /** Monotonic time at which the open question was told. */
  private toldAt = 0;
  private typed = '';
  private ticking: NodeJS.Timeout | undefined;
  private readonly listening;

  constructor(private readonly options: TerminalSeatOptions) {
    const { link, input, onInterrupt } = options;
    this.editor = new LineEditor(input, {
      onChange: (text) => this.change(text),
      onLine: (line) => void this.say(line),
      onInterrupt,
    });
    this.listening = link.onQuestion((question) => this.question(question));
    link.presence(true);
    options.progress.log(options.paint('dim', HELP));
  }

  /** Shows a question that was open before this seat was taken, too. */
  question(question: OpenQuestion | undefined): void {
    const { progress, paint, columns } = this.options;
    const isNew = question !== undefined && !sameQuestion(question, this.open);
    this.open = question;
    this.toldAt = performance.now();
    if (isNew) for (const line of questionLines(question, paint, columns())) progress.log(line);
    clearInterval(this.ticking);
    this.ticking = question && setInterval(() => this.draw(), 1000);
    this.draw();
  }

  close(): void {
    clearInterval(this.ticking);
    this.listening.dispose();
    this.editor.close();
    this.options.progress.prompt(undefined);
  }

  private change(text: string): void {
    const began = this.typed === '' && text !== '';
    const ended = this.typed !== '' && text === '';
    this.typed = text;
    if (began || ended || this.open?.held !== true) this.options.link.typing(text !== '');
    this.draw();
  }

  private async say(line: string): Promise<void> {
    if (line === '') return;
    const { link, progress, onDetach } = this.options;
    const said = saidIn(line, this.open);
    try {
      switch (said.type) {
        case 'reply':
          if (this.open) await link.reply(this.open.moment, said.reply);
          return;
        case 'pose':
          await link.pose(said.text);
          return progress.log('your question comes at the next safe point');
        case 'pause':
          await link.pause(true);
          return progress.log('paused at the next safe point; :go lets it go on');
        case 'go':
          return await link.pause(false);
        case 'stop':
          progress.log('stopping; the best so far is kept');
          return await link.stop();
        case 'detach':
          return onDetach();
        case 'help':
          return progress.log(HELP);
        case 'hint':
          return progress.log(plainLine(said.text));
      }
    } catch (error) {
      progress.log(plainLine(error instanceof Error ? error.message : String(error)));
    }
  }

  private draw(): void {
    const { open, typed } = this;
    if (!open) return this.options.progress.prompt(typed === '' ? undefined : `to the agent > ${typed}`);
    const left = open.held ? open.remainingMs : Math.max(0, open.remainingMs - (performance.now() - this.toldAt));
    const count = open.held ? 'you type' : clock(left);
    this.options.progress.prompt(`${count} > ${typed}`);
  }
}

function sameQuestion(a: OpenQuestion, b: OpenQuestion | undefined): boolean {
  return a.moment === b?.moment && a.choices.map((c) => c.id).join() === b.choices.map((c) => c.id).join();
}
