// `kernelseek report`: a session as one HTML file that opens offline.
import type { Command } from 'commander';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isBundle, withBundle } from './bundle-file.js';
import { say, type CliContext } from './context.js';
import { CliError, EXIT, messageOf } from './exit.js';
import { givenSession } from './given-session.js';
import { reportOf } from './session-report.js';

interface Options {
  out?: string;
}

/** The report's name in a session's folder, where it is made anew each time. */
const REPORT = 'report.html';

export function registerReport(program: Command, context: CliContext): void {
  program
    .command('report')
    .description('write a session as one HTML file: where the gain came from, chart, changes, questions')
    .argument(
      '[session]',
      'its id, the end of it, its folder, or a bundle; the newest of this folder where none is given',
    )
    .option(
      '--out <file>',
      `file to write, which must not be there yet (default: ${REPORT} in the session's folder; of a bundle, SESSION.html here)`,
    )
    .action((session: string | undefined, options: Options) =>
      isBundle(session)
        ? withBundle(session, context, (folder) =>
            report(folder, { out: options.out ?? `${path.basename(folder)}.html` }, context),
          )
        : report(session, options, context),
    );
}

async function report(session: string | undefined, options: Options, context: CliContext): Promise<void> {
  const given = await givenSession(session, context);
  const file = options.out === undefined ? path.join(given.folder, REPORT) : path.resolve(context.cwd, options.out);
  const html = await reportOf(given, context);
  await writeFile(file, html, { flag: options.out === undefined ? 'w' : 'wx' }).catch((error: unknown) => {
    throw new CliError(`the report cannot be written: ${messageOf(error)}`, EXIT.bad);
  });
  say(context, [file]);
}
