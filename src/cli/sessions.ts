// `kernelseek sessions`: what was tried in a folder, one session in full, its best candidate as a file.
import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { diffLines } from '../report/diff.js';
import { plainLine, plainJson } from '../report/plain.js';
import { digestLines } from '../report/questions.js';
import { candidateLines, sessionTable, summaryLines } from '../report/session.js';
import { workspaceOf } from '../session/place.js';
import { listSessions, type SessionListing } from '../session/sessions.js';
import { bestSources, writeSources } from './best.js';
import { isBundle, withBundle } from './bundle-file.js';
import { say, type CliContext } from './context.js';
import { CliError } from './exit.js';

interface Options {
  show?: string;
  write?: string;
  json?: boolean;
}

export function registerSessions(program: Command, context: CliContext): void {
  program
    .command('sessions')
    .description('list the sessions of a folder, show one, write out its best candidate')
    .argument('[folder]', 'a folder of the workspace, or a bundle', '.')
    .option('--show <id>', 'show one session: every candidate, the best and its diff')
    .option('--write <folder>', 'with --show: write the sources of the best candidate below this folder')
    .option('--json', 'print one JSON document')
    .action((folder: string, options: Options) =>
      isBundle(folder)
        ? withBundle(folder, context, (_session, workspace) => sessions(workspace, options, context))
        : sessions(folder, options, context),
    );
}

async function sessions(folder: string, options: Options, context: CliContext): Promise<void> {
  const workspace = workspaceIn(path.resolve(context.cwd, folder));
  if (options.write !== undefined && options.show === undefined) throw new CliError('--write needs --show ID');
  if (options.show !== undefined) return show(await findSession(workspace, options.show), options, context);
  const listings = await listSessions(workspace);
  if (options.json) {
    say(context, [plainJson(listings.map(summary), 2)]);
  } else if (listings.length === 0) {
    say(context, [`no sessions below ${workspace}; \`${context.program} optimize NAME.task.json\` starts one`]);
  } else {
    say(context, sessionTable(listings, Date.now(), context.paint.out));
  }
}

/** @throws CliError when the folder is not there */
export function workspaceIn(folder: string): string {
  if (!existsSync(folder)) throw new CliError(`${folder} does not exist`);
  // workspaceOf starts from a task file; whether this one exists does not matter to it.
  return workspaceOf(path.join(folder, 'any.task.json'));
}

/**
 * A session by its id or the end of it, as long as that names one.
 * @throws CliError that lists what there is
 */
export async function findSession(workspace: string, id: string): Promise<SessionListing> {
  const listings = await listSessions(workspace);
  const found = listings.filter((l) => l.session === id || (id.length >= 4 && l.session.endsWith(id)));
  if (found.length === 1 && found[0]) return found[0];
  const known = listings.slice(0, 10).map((l) => l.session);
  const remedy = known.length > 0 ? `there are ${known.join(', ')}` : 'there are none';
  throw new CliError(
    `no ${found.length > 1 ? 'single ' : ''}session "${plainLine(id, 80)}" below ${workspace}: ${remedy}`,
  );
}

/** A listing as it goes into JSON: state without the conversation. */
function summary(listing: SessionListing): object {
  if ('error' in listing) return listing;
  const { conversation: _conversation, ...state } = listing.state;
  return { ...listing, state };
}

async function show(listing: SessionListing, options: Options, context: CliContext): Promise<void> {
  if ('error' in listing) throw new CliError(`session ${listing.session}: ${listing.error}`);
  const { state, folder } = listing;
  const paint = context.paint.out;
  const digest = digestLines(state, paint);
  if (options.json) {
    say(context, [plainJson(summary(listing), 2)]);
  } else {
    say(context, [
      `session ${listing.session}: ${plainLine(state.task)}`,
      '',
      ...candidateLines(state, paint),
      ...(state.candidates.length > 0 ? [''] : []),
      ...digest,
      ...(digest.length > 0 ? [''] : []),
      ...summaryLines(state, paint),
    ]);
  }
  const best = await bestSources(folder, state);
  if (!best) {
    if (options.write !== undefined) throw new CliError(`session ${listing.session} has no confirmed best to write`, 1);
    return;
  }
  if (!options.json) say(context, ['', ...diffLines(best.original, best.sources, paint)]);
  if (options.write !== undefined) {
    const written = await writeSources(path.resolve(context.cwd, options.write), best.sources);
    if (!options.json) say(context, ['', ...written.map((file) => `wrote ${file}`)]);
  }
}
