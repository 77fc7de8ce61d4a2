// A checker program as the evaluator drives it (harness/checker/main.h): a process of its own that sees inputs, expected values
// and results, can write to none of them, and says whether an output is right.
import { spawn, type ChildProcess } from 'node:child_process';
import { sizeOf } from '../../src/task/dtype.js';
import { TaskError, type Value } from '../../src/task/types.js';
import type { Command } from '../sandbox/sandbox.js';
import { killGroup, Tail } from '../targets/run-tool.js';
import { ChannelClosed, LineChannel } from './channel.js';
import { FENCE, type Layout } from './layout.js';
import type { Segment } from './segments.js';

/** Longest that one output may be looked at, milliseconds. */
const LIMIT_MS = 60_000;
/** What stands for what lay in an output before any call. */
const BEFORE = -1;

export interface CheckerSegments {
  input: Segment;
  expected: Segment;
  results: Segment[];
}

/** Flags are numbers, as everywhere in C++. */
const textOf = (value: Value | bigint): string => String(typeof value === 'boolean' ? Number(value) : value);

export class Checker {
  private readonly child: ChildProcess;
  private readonly channel: LineChannel;
  private readonly printed = new Tail(2000);

  /** @param file how the task calls it */
  constructor(
    command: Command,
    private readonly file: string,
    { input, expected, results }: CheckerSegments,
  ) {
    this.child = spawn(command.file, command.args, {
      detached: true,
      env: { LANG: 'C.UTF-8' },
      cwd: '/',
      stdio: ['pipe', 'pipe', 'pipe', input.readOnly, expected.readOnly, ...results.map((r) => r.readOnly)],
    });
    this.child.stderr!.setEncoding('utf8').on('data', (text: string) => this.printed.add(text));
    this.channel = new LineChannel(this.child, this.child.stdin!, this.child.stdout!);
  }

  /** @throws TaskError when it does not answer: what a task brings is the task's fault */
  private async ask(command: string): Promise<string> {
    try {
      return (await this.channel.ask(command, () => true, LIMIT_MS)).join('');
    } catch (error) {
      if (!(error instanceof ChannelClosed)) throw error;
      const what =
        error.why === 'timeout'
          ? `did not answer within ${LIMIT_MS / 1000} s`
          : `ended (${error.killedBy ?? `exit code ${error.code}`})`;
      throw this.fault(`${what}${this.printed.text() ? `: ${this.printed.text().trim()}` : ''}`);
    }
  }

  private fault(what: string): TaskError {
    return new TaskError('$.arguments', `the checker program ${this.file} ${what}`);
  }

  async enter(layout: Layout): Promise<void> {
    const regions = layout.regions.map(({ argument: a, offset, skip }) => {
      const dims = a.shape.map((extent, d) => ` ${extent} ${a.strides[d]}`).join('');
      const first = offset + FENCE + skip * sizeOf(a.dtype);
      return `${a.name} ${a.dtype.replaceAll(' ', '_')} ${a.role} ${first} ${a.shape.length}${dims}`;
    });
    const values = new Map(Object.entries(layout.scenario.variables).map(([name, value]) => [name, textOf(value)]));
    for (const a of layout.arguments) if (a.kind === 'scalar') values.set(a.name, textOf(a.value));
    const lines = [...regions, ...[...values].map(([name, text]) => `${name} ${text}`)];
    await this.ask([`scenario ${regions.length} ${values.size}`, ...lines].join('\n'));
  }

  /**
   * @param output name of the argument
   * @param worker whose results; none: what lay there before any call
   * @returns why it refuses, or nothing
   */
  async refusal(output: string, worker: number | undefined): Promise<string | undefined> {
    const answer = await this.ask(`check ${output} ${worker ?? BEFORE}`);
    if (answer === 'pass') return undefined;
    const [verb, text] = [answer.slice(0, answer.indexOf(' ')), answer.slice(answer.indexOf(' ') + 1)];
    if (verb === 'fail') return text.slice(0, 1024);
    throw this.fault(`failed: ${text}`);
  }

  kill(): void {
    killGroup(this.child.pid);
  }
}
