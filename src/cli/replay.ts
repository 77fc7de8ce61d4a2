// `kernelseek replay`: shows a session again as it went, at any speed.
import { InvalidArgumentError, type Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionState } from '../session/fold.js';
import { readTrace } from '../session/trace.js';
import type { CliContext } from './context.js';
import { tellEnding } from './ending.js';
import { onInterrupt } from './interrupt.js';
import { ProgressLine } from './progress.js';
import { SessionView } from './session-view.js';
import { findSession, workspaceIn } from './sessions.js';

/** A night without events need not be sat through: longest wait between two events, milliseconds at any speed. */
const LONGEST_WAIT_MS = 10_000;

interface Options {
  folder: string;
  speed: number;
}

export function registerReplay(program: Command, context: CliContext): void {
  program
    .command('replay')
    .description('show a session again as it went')
    .argument('<id>', 'the session, or the end of its id')
    .option('--folder <folder>', 'a folder of the workspace', '.')
    .option('--speed <n>', 'times as fast as it was; 0: at once', speed, 10)
    .action((id: string, options: Options) => replay(id, options, context));
}

async function replay(id: string, options: Options, context: CliContext): Promise<void> {
  const workspace = workspaceIn(options.folder);
  const { folder, session } = await findSession(workspace, id);
  const { events } = await readTrace(folder);
  const progress = new ProgressLine(context.stderr, context.env);
  const view = new SessionView(progress, context.paint.err);
  const interrupt = onInterrupt(() => undefined);
  let state: SessionState | undefined;
  try {
    for (const [i, event] of events.entries()) {
      const gap = options.speed > 0 && i > 0 ? (event.at - (events[i - 1]?.at ?? event.at)) / options.speed : 0;
      const wait = Math.min(LONGEST_WAIT_MS, Math.max(0, gap));
      if (wait > 0) await sleep(wait, undefined, { signal: interrupt.signal }).catch(() => undefined);
      if (interrupt.signal.aborted) return;
      view.event(event);
    }
    state = view.state;
  } finally {
    progress.clear();
    interrupt.release();
  }
  if (state) await tellEnding(state, { session, folder }, workspace, {}, context);
}

function speed(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1e6)) {
    throw new InvalidArgumentError('must be a number from 0 to 1000000.');
  }
  return value;
}
