// `kernelseek bundle`: a session as one file to share, and back again.
import type { Command } from 'commander';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { packBundle } from '../session/bundle/bundle.js';
import { fold } from '../session/fold.js';
import { unpacked } from './bundle-file.js';
import { say, type CliContext } from './context.js';
import { CliError, EXIT, messageOf } from './exit.js';
import { givenSession } from './given-session.js';
import { shellWord } from './program.js';
import { readSources, reportFrom } from './session-report.js';
import { workspaceIn } from './sessions.js';

interface Options {
  out?: string;
  redactSource?: boolean;
  open?: string;
}

export function registerBundle(program: Command, context: CliContext): void {
  program
    .command('bundle')
    .description('a session as one file to share, without keys and addresses; or the session of such a file')
    .argument('[session]', 'its id, the end of it, or its folder; the newest of this folder where none is given')
    .option('--out <file>', 'file to write, which must not be there yet (default: SESSION.kernelseek.zip here)')
    .option('--redact-source', 'leave out sources and whatever may quote them: the conversation, compiler output')
    .option('--open <file>', 'make the session of a bundle one of this folder')
    .action((session: string | undefined, options: Options) =>
      options.open === undefined ? pack(session, options, context) : open(options.open, context),
    );
}

async function pack(session: string | undefined, options: Options, context: CliContext): Promise<void> {
  const given = await givenSession(session, context);
  const { original, sources, warnings } = await readSources(
    given,
    given.state.candidates.map((c) => c.id),
  );
  const redactSource = options.redactSource ?? false;
  if (warnings.length > 0 && !redactSource) throw new CliError(warnings.join('; '), EXIT.bad);
  const file = path.resolve(context.cwd, options.out ?? `${given.session}.kernelseek.zip`);
  const zip = await packBundle({
    session: given.session,
    workspace: given.workspace,
    events: given.events,
    original,
    sources,
    redactSource,
    env: context.env,
    report: (events) => {
      const state = fold(events) ?? given.state;
      const shown = redactSource
        ? { original: [], sources: new Map(), warnings: ['Sources and conversation were left out of this bundle.'] }
        : { original, sources, warnings };
      return reportFrom({ session: given.session, state, events, ...shown }, context);
    },
  }).catch((error: unknown) => {
    throw new CliError(messageOf(error), EXIT.bad);
  });
  await writeFile(file, zip, { flag: 'wx' }).catch((error: unknown) => {
    throw new CliError(`the bundle cannot be written: ${messageOf(error)}`, EXIT.bad);
  });
  const kept = redactSource ? '; notes, questions, answers and file names are in it' : '';
  say(context, [`${file} (${Math.ceil(zip.length / 1024)} KiB${kept})`]);
}

async function open(given: string, context: CliContext): Promise<void> {
  const folder = await unpacked(path.resolve(context.cwd, given), workspaceIn(context.cwd));
  say(context, [folder, `${context.program} sessions --show ${shellWord(path.basename(folder))}`]);
}
