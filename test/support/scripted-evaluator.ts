// An evaluator that does what the candidate's text says, for tests of everything around evaluation.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Abilities } from '../../remote-runner/about.js';
import type { EvaluateContext, Evaluator } from '../../remote-runner/evaluate/evaluator.js';
import {
  bareVerdict,
  type EvaluateParams,
  type JobParams,
  type TargetInfo,
  type Verdict,
} from '../../remote-runner/protocol.js';

export const scriptedTarget: TargetInfo = { kind: 'cpu', id: 'cpu', name: 'scripted', compiler: 'none 1.0' };
export const scriptedAbilities: Abilities = {
  targets: [scriptedTarget],
  missing: [{ kind: 'cuda', reason: 'This runner only plays a script.' }],
  tools: {},
  profiling: 'absent',
};

export function scriptedVerdict(message: string): Verdict {
  return { ...bareVerdict('correct', message, 'first'), emulated: true };
}

/** Parameters of a job whose candidate is this script, one command a line. */
export function scriptedJob(script: string, files: EvaluateParams['task']['files'] = []): JobParams {
  return {
    kind: 'evaluate',
    task: { task: {}, directory: '', original: [{ path: 'k.cu', text: '' }], files },
    candidate: [{ path: 'k.cu', text: script }],
    target: 'auto',
    mode: 'first',
  };
}

/** Whole or not there: a test waits for the file to appear. */
async function note(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}

/**
 * Commands: `progress N` (N progress events), `sleep MS`, `wait` (until released or cancelled), `read` (text of the first
 * file), `child FILE` (start a process, write its id to FILE, wait), `scratch FILE` (write the scratch folder's path to
 * FILE and something into it), `pad N` (N characters of output), `throw TEXT`, `die` (kill this process),
 * `die-once FILE` (unless FILE is there), `environment FILE` (names of the environment into FILE), `bad` (a
 * verdict that the protocol does not allow), `say TEXT` (message of the verdict), `count FILE` (one more line in FILE),
 * `stubborn FILE` (as `child`, but an abort is ignored), `gate FILE` (wait until FILE is there).
 */
export class ScriptedEvaluator implements Evaluator {
  /** Jobs begun, and the most that ran at the same time. */
  begun = 0;
  peak = 0;
  private now = 0;
  private readonly held: (() => void)[] = [];

  /** Lets all jobs at `wait` go on. */
  release(): void {
    this.held.splice(0).forEach((go) => go());
  }

  async evaluate(params: EvaluateParams, context: EvaluateContext): Promise<Verdict> {
    this.begun += 1;
    this.now += 1;
    this.peak = Math.max(this.peak, this.now);
    try {
      return await this.play(params, context);
    } finally {
      this.now -= 1;
    }
  }

  profile(): Promise<never> {
    return Promise.reject(new Error('the script does not profile'));
  }

  calibrate(): Promise<never> {
    return Promise.reject(new Error('the script does not calibrate'));
  }

  private async play(params: EvaluateParams, context: EvaluateContext): Promise<Verdict> {
    const { signal } = context;
    const verdict = scriptedVerdict('played');
    for (const line of params.candidate?.[0]?.text.split('\n') ?? []) {
      const [command, argument = ''] = line.split(/ (.*)/s);
      if (signal.aborted) throw new Error('aborted');
      switch (command) {
        case 'progress':
          for (let i = 1; i <= Number(argument); i += 1) {
            context.progress({ type: 'phase', phase: 'check', detail: `step ${i}`, done: i, total: Number(argument) });
          }
          break;
        case 'sleep':
          await sleep(Number(argument), undefined, { signal });
          break;
        case 'wait':
          await new Promise<void>((resolve) => {
            this.held.push(resolve);
            signal.addEventListener('abort', () => resolve());
          });
          break;
        case 'read':
          verdict.message = await readFile(context.stored(params.task.files[0]?.sha256 ?? ''), 'utf8');
          break;
        case 'scratch':
          await writeFile(path.join(context.folder, 'something'), 'x');
          await note(argument, context.folder);
          break;
        case 'child': {
          const child = spawn('sleep', ['600'], { stdio: 'ignore', detached: true });
          const gone = once(child, 'exit');
          signal.addEventListener('abort', () => process.kill(-(child.pid as number), 'SIGKILL'));
          await note(argument, String(child.pid));
          await gone;
          break;
        }
        case 'count':
          appendFileSync(argument, 'x\n');
          break;
        case 'gate':
          while (!existsSync(argument)) await sleep(5, undefined, { signal });
          break;
        case 'stubborn': {
          const child = spawn('sleep', ['600'], { stdio: 'ignore', detached: true });
          await note(argument, String(child.pid));
          await once(child, 'exit');
          await new Promise(() => undefined);
          break;
        }
        case 'pad':
          verdict.output = 'x'.repeat(Number(argument));
          break;
        case 'throw':
          throw new Error(argument);
        case 'die':
          process.kill(process.pid, 'SIGKILL');
          break;
        case 'die-once':
          if (existsSync(argument)) break;
          writeFileSync(argument, '');
          process.kill(process.pid, 'SIGKILL');
          break;
        case 'environment':
          await note(argument, Object.keys(process.env).join('\n'));
          break;
        case 'bad':
          verdict.phases = { build: Number.NaN };
          break;
        case 'say':
          verdict.message = argument;
          break;
        default:
          break;
      }
    }
    return verdict;
  }
}
