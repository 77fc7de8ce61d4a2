// One line typed at a terminal in raw mode: small, so that it gets along with a progress line that updates itself.
import { StringDecoder } from 'node:string_decoder';
import { plainText } from '../report/plain.js';

export interface Keys {
  /** The line so far, after every key. */
  onChange: (text: string) => void;
  /** Enter. */
  onLine: (text: string) => void;
  /** Ctrl-C, which raw mode keeps from becoming a signal. */
  onInterrupt: () => void;
}

/** A terminal that can be read key by key. */
export type KeyStream = Pick<
  NodeJS.ReadStream,
  'isTTY' | 'setRawMode' | 'on' | 'off' | 'resume' | 'pause' | 'unref' | 'ref'
>;

/** Longest line, characters. */
const LONGEST = 2000;
/** Cursor keys and the like: not text. */
const SEQUENCES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?/gs;

export class LineEditor {
  private text = '';
  private readonly decoder = new StringDecoder('utf8');
  private readonly onData = (chunk: Buffer): void => this.type(this.decoder.write(chunk));
  private readonly onContinue = (): void => void this.input.setRawMode(true);

  /** Listens until `close`; the terminal is in raw mode meanwhile. */
  constructor(
    private readonly input: KeyStream,
    private readonly keys: Keys,
  ) {
    input.setRawMode(true);
    input.on('data', this.onData);
    input.resume();
    process.on('SIGCONT', this.onContinue);
  }

  close(): void {
    this.input.off('data', this.onData);
    process.off('SIGCONT', this.onContinue);
    this.input.setRawMode(false);
    // A terminal that is still read would keep the process alive.
    this.input.pause();
  }

  private type(data: string): void {
    for (const key of data.replace(SEQUENCES, '')) this.press(key);
  }

  private press(key: string): void {
    switch (key) {
      case '\r':
      case '\n': {
        const line = this.text.trim();
        this.set('');
        return this.keys.onLine(line);
      }
      case '\u0003':
        this.set('');
        return this.keys.onInterrupt();
      case '\u001a':
        this.input.setRawMode(false);
        process.kill(process.pid, 'SIGTSTP');
        return;
      case '\u007f':
      case '\b':
        return this.set([...this.text].slice(0, -1).join(''));
      case '\u0015':
        return this.set('');
      case '\u0017':
        return this.set(this.text.replace(/\S*\s*$/, ''));
      default:
        return this.set(this.text + plainText(key));
    }
  }

  private set(text: string): void {
    this.text = text.slice(0, LONGEST);
    this.keys.onChange(this.text);
  }
}
