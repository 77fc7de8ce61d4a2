// `kernelseek attach`: follows a session that another process drives, and takes the seat beside its agent.
import type { Command } from 'commander';
import { AttachedClient } from '../session/link.js';
import { listSessions, type SessionListing } from '../session/sessions.js';
import type { CliContext } from './context.js';
import { tellEnding, resumeCommand } from './ending.js';
import { CliError, EXIT } from './exit.js';
import { onInterrupt } from './interrupt.js';
import { ProgressLine } from './progress.js';
import { canSit, TerminalSeat } from './seat.js';
import { SessionView } from './session-view.js';
import { findSession, workspaceIn } from './sessions.js';

interface Options {
  folder: string;
  watch?: boolean;
  take?: boolean;
  jsonEvents?: boolean;
}

export function registerAttach(program: Command, context: CliContext): void {
  program
    .command('attach')
    .description('follow a session that runs already, and answer its questions')
    .argument('[id]', 'the session, or the end of its id; not needed where one runs')
    .option('--folder <folder>', 'a folder of the workspace', '.')
    .option('--watch', 'only watch')
    .option('--take', 'take the seat from whoever has it')
    .option('--json-events', 'print the events of the session as JSON lines')
    .action((id: string | undefined, options: Options) => attach(id, options, context));
}

async function attach(id: string | undefined, options: Options, context: CliContext): Promise<void> {
  const workspace = workspaceIn(options.folder);
  const listing = id === undefined ? await theRunningOne(workspace) : await findSession(workspace, id);
  if ('error' in listing) throw new CliError(`session ${listing.session}: ${listing.error}`);
  const { folder, session } = listing;
  if (!listing.running) {
    if (!listing.state.finished) {
      const command = resumeCommand(listing.state, workspace, {}, context);
      throw new CliError(`session ${session} broke off and nothing drives it; to go on: ${command}`);
    }
    return tellEnding(listing.state, { session, folder }, workspace, options, context);
  }
  const client = await AttachedClient.connect(folder);
  const progress = new ProgressLine(context.stderr, context.env);
  const jsonLine = options.jsonEvents ? (line: string) => void context.stdout.write(`${line}\n`) : undefined;
  const view = new SessionView(progress, context.paint.err, jsonLine);
  const leave = (): void => {
    progress.log(`left; session ${session} goes on`);
    client.leave();
  };
  const interrupt = onInterrupt(leave);
  let seat: TerminalSeat | undefined;
  try {
    client.onProgress((p) => view.update(p));
    const { driving, question } = await client.attach(options.watch ? 'no' : options.take ? 'take' : 'free');
    await client.follow(folder, (event) => view.event(event));
    if (driving && canSit(process.stdin, context.stderr, context.env)) {
      seat = new TerminalSeat({
        link: client,
        input: process.stdin,
        progress,
        paint: context.paint.err,
        columns: () => context.stderr.columns || 80,
        onInterrupt: () => process.kill(process.pid, 'SIGINT'),
        onDetach: leave,
      });
      seat.question(question ?? undefined);
    } else if (!driving && !options.watch) {
      progress.log('another client drives this session; --take takes the seat');
    }
    client.onDriving((drives) => {
      if (drives) return;
      seat?.close();
      seat = undefined;
      progress.log('another client took the seat; you still see what happens');
    });
    await client.closed;
    seat?.close();
    progress.clear();
    if (interrupt.signal.aborted) return;
    if (view.state?.finished) await tellEnding(view.state, { session, folder }, workspace, options, context);
    else if (view.state) throw new CliError(`session ${session} broke off; attach again, or resume it`, EXIT.unknown);
  } finally {
    seat?.close();
    progress.clear();
    interrupt.release();
    client.leave();
  }
}

/** @throws CliError where not exactly one session runs */
async function theRunningOne(workspace: string): Promise<SessionListing> {
  const running = (await listSessions(workspace)).filter((l) => 'running' in l && l.running);
  if (running.length === 1 && running[0]) return running[0];
  throw new CliError(
    running.length === 0
      ? `no session runs below ${workspace}`
      : `several sessions run below ${workspace}, name one: ${running.map((l) => l.session).join(', ')}`,
  );
}
