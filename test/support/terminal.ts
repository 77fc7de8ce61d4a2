// The command line in a terminal of its own: `script` makes the pseudo-terminal, a test types and reads.
import { spawn, type ChildProcess } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

export interface Terminal {
  child: ChildProcess;
  type(text: string): void;
  /** Resolves when what was shown since `from` characters matches; rejects when the program ends before. */
  shows(pattern: RegExp, from?: number): Promise<void>;
  /** Everything shown so far, without escape sequences. */
  text(): string;
  raw(): string;
  /** Exit code. */
  ended: Promise<number | null>;
}

/** Runs a command line of words that need no quoting. */
export function openTerminal(
  words: readonly string[],
  options: { cwd: string; env: Record<string, string>; columns?: number },
): Terminal {
  const { PATH = '', HOME = '' } = process.env;
  const size = `stty cols ${options.columns ?? 100} rows 40`;
  const child = spawn('script', ['-qec', `${size}; exec ${words.join(' ')}`, '/dev/null'], {
    cwd: options.cwd,
    env: { PATH, HOME, TERM: 'xterm', SHELL: '/bin/sh', ...options.env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let shown = '';
  const waiting = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    for (const check of waiting) check();
  });
  const text = (): string => stripVTControlCharacters(shown).replace(/\r/g, '\n');
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  return {
    child,
    type: (typed) => void child.stdin.write(typed),
    text,
    raw: () => shown,
    ended,
    shows: (pattern, from = 0) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (!pattern.test(text().slice(from))) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
        void ended.then(() => reject(new Error(`ended before ${String(pattern)} was shown:\n${text().slice(-3000)}`)));
      }),
  };
}
