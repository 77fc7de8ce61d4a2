// `kernelseek repertoire`: the questions, what came of them, and what a workspace makes its own.
import { Option, type Command } from 'commander';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { lintQuestion, lintText, type LintHint } from '../questions/lint.js';
import { importCredit, loadCredit, readCredit, size, textOf } from '../questions/credit-store.js';
import { mergeCredit, type Credit } from '../questions/credit-file.js';
import { repertoireOf, shippedQuestions } from '../questions/repertoire.js';
import { LEVELS, MOMENTS, type Level, type MomentKind } from '../questions/types.js';
import { loadRepertoire, repertoireFile, setMuted } from '../questions/workspace.js';
import { plainJson, plainLine } from '../report/plain.js';
import { creditedRepertoire, repertoireLines } from '../report/repertoire.js';
import { say, type CliContext } from './context.js';
import { CliError, EXIT, messageOf } from './exit.js';
import { workspaceIn } from './sessions.js';

interface Options {
  folder: string;
  json?: boolean;
}

interface ListOptions extends Options {
  level?: Level;
  moment?: MomentKind;
  device?: string;
}

export function registerRepertoire(program: Command, context: CliContext): void {
  const repertoire = program
    .command('repertoire')
    .description('the questions asked at decision moments, what came of them, and your own');
  const add = (name: string, description: string, isDefault = false): Command =>
    repertoire
      .command(name, { isDefault })
      .description(description)
      .option('--folder <folder>', 'a folder of the workspace', '.')
      .option('--json', 'print one JSON document');
  add('list', 'the questions by level, with their credit', true)
    .addOption(new Option('--level <level>', 'only this level').choices(LEVELS))
    .addOption(new Option('--moment <moment>', 'only what may be asked at this moment').choices(MOMENTS))
    .option('--device <name>', 'credit on this device; default: the one with most of it')
    .action((options: ListOptions) => list(options, context));
  add('lint', 'hints about a question, a repertoire file, or the workspace’s own')
    .argument('[file-or-text]', 'a file, or the text of one question')
    .action((what: string | undefined, options: Options) => lint(what, options, context));
  add('mute', 'never ask a question in this workspace')
    .argument('<id>', 'its id in the list')
    .action((id: string, options: Options) => mute(id, true, options, context));
  add('unmute', 'let a muted question be asked again')
    .argument('<id>', 'its id in the list')
    .action((id: string, options: Options) => mute(id, false, options, context));
  add('export', 'print the credit of this workspace as a file that others can merge')
    .option('--out <file>', 'write it there instead')
    .action((options: ExportOptions) => exportCredit(options, context));
  add('merge', 'take in credit that was exported elsewhere; the same once more changes nothing')
    .argument('<file>', 'a file that `repertoire export` made')
    .action((file: string, options: Options) => merge(file, options, context));
}

async function list(options: ListOptions, context: CliContext): Promise<void> {
  const workspace = workspaceIn(path.resolve(context.cwd, options.folder));
  const [repertoire, { credit, problems }] = await Promise.all([loadRepertoire(workspace), loadCredit(workspace)]);
  warn([...repertoire.problems, ...problems], context);
  const device = deviceOf(credit, options.device);
  const shown = repertoire.questions.filter(
    (q) =>
      (options.level === undefined || q.level === options.level) &&
      (options.moment === undefined || q.moments.includes(options.moment)),
  );
  const isWhole = shown.length === repertoire.questions.length;
  const credited = creditedRepertoire(repertoire.questions, (device !== undefined && credit.get(device)) || []);
  const result = { ...credited, questions: credited.questions.filter((q) => shown.some((s) => s.id === q.id)) };
  if (!isWhole) result.gone = [];
  if (options.json) {
    say(context, [plainJson({ device, devices: [...credit.keys()], ...result }, 2)]);
    return;
  }
  const others = [...credit.keys()].filter((name) => name !== device).map((name) => plainLine(name));
  say(context, [
    ...repertoireLines(result, context.paint.out),
    ...(device === undefined ? [] : [`on ${plainLine(device)}`]),
    ...(others.length === 0 ? [] : [`also known, with --device: ${others.join('; ')}`]),
  ]);
}

/** @throws CliError for a device that nothing is known of */
function deviceOf(credit: Credit, wanted: string | undefined): string | undefined {
  const names = [...credit.keys()];
  if (wanted === undefined) {
    const count = (name: string): number => credit.get(name)?.length ?? 0;
    return names.sort((a, b) => count(b) - count(a))[0];
  }
  if (names.includes(wanted)) return wanted;
  const known =
    names.length === 0 ? 'there is no credit yet' : `there is credit on ${names.map((n) => plainLine(n)).join('; ')}`;
  throw new CliError(`no credit on "${plainLine(wanted, 80)}": ${known}`);
}

/** What was looked at, with what speaks against it. */
interface Linted {
  id?: string;
  text: string;
  hints: LintHint[];
}

async function lint(what: string | undefined, options: Options, context: CliContext): Promise<void> {
  const workspace = workspaceIn(path.resolve(context.cwd, options.folder));
  const named = what === undefined ? repertoireFile(workspace) : path.resolve(context.cwd, what);
  const isFile = what === undefined || existsSync(named);
  if (!isFile && !/\s/.test(what)) throw new CliError(`${what} is neither a file nor a question`);
  if (what === undefined && !existsSync(named)) {
    throw new CliError(`${named} does not exist: give lint a file, or the text of a question`);
  }
  const { problems, linted } = isFile
    ? await lintFile(named)
    : { problems: [], linted: [await lintOne(what, workspace)] };
  if (options.json) {
    say(context, [plainJson({ problems, questions: linted }, 2)]);
  } else {
    const paint = context.paint.out;
    for (const problem of problems) say(context, [`${paint('red', 'error')}: ${plainLine(problem)}`]);
    for (const { id, text, hints } of linted) {
      const verdict = hints.length === 0 ? paint('green', 'good') : paint('yellow', 'hint');
      say(context, [`${verdict}  ${id === undefined ? '' : `${id}: `}${plainLine(text)}`]);
      say(
        context,
        hints.map(({ rule, message }) => `      ${rule}: ${plainLine(message)}`),
      );
    }
  }
  if (problems.length > 0) process.exitCode = EXIT.task;
  else if (linted.some(({ hints }) => hints.length > 0)) process.exitCode = EXIT.bad;
}

/** The questions of a repertoire file that are not the shipped ones, beside all others. */
async function lintFile(file: string): Promise<{ problems: string[]; linted: Linted[] }> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CliError(`${file} cannot be read: ${messageOf(error)}`);
  });
  const { questions, problems } = repertoireOf(text, file);
  const shipped = new Map(shippedQuestions().map((q) => [q.id, q.text]));
  const own = questions.filter((q) => shipped.get(q.id) !== q.text || q.origin !== 'shipped');
  const linted = own.map((q) => ({
    id: q.id,
    text: q.text,
    hints: lintQuestion(
      q,
      questions.filter((o) => o.id !== q.id).map((o) => o.text),
    ),
  }));
  return { problems, linted };
}

async function lintOne(text: string, workspace: string): Promise<Linted> {
  const { questions } = await loadRepertoire(workspace);
  return {
    text,
    hints: lintText(
      text,
      questions.map((q) => q.text),
    ),
  };
}

async function mute(id: string, muted: boolean, options: Options, context: CliContext): Promise<void> {
  const workspace = workspaceIn(path.resolve(context.cwd, options.folder));
  const changed = await setMuted(workspace, id, muted).catch((error: unknown) => {
    throw new CliError(messageOf(error));
  });
  const state = muted ? 'muted' : 'asked again';
  if (options.json) say(context, [plainJson({ id, muted, changed }, 2)]);
  else say(context, [changed ? `${id} is ${state}: ${repertoireFile(workspace)}` : `${id} was so already`]);
}

interface ExportOptions extends Options {
  out?: string;
}

/** The file is one JSON document, with and without --json. */
async function exportCredit({ folder, out, json }: ExportOptions, context: CliContext): Promise<void> {
  const { credit, problems } = await loadCredit(workspaceIn(path.resolve(context.cwd, folder)));
  warn(problems, context);
  if (out === undefined) {
    say(context, [textOf(credit).trimEnd()]);
    return;
  }
  const file = path.resolve(context.cwd, out);
  await writeFile(file, textOf(credit), { flag: 'wx' }).catch((error: unknown) => {
    throw new CliError(`${file} cannot be written: ${messageOf(error)}`);
  });
  const count = size(credit);
  say(context, [json ? plainJson({ file, observations: count }, 2) : `wrote ${count} observations to ${file}`]);
}

async function merge(file: string, options: Options, context: CliContext): Promise<void> {
  const workspace = workspaceIn(path.resolve(context.cwd, options.folder));
  const credit = await readCredit(path.resolve(context.cwd, file)).catch((error: unknown) => {
    throw new CliError(messageOf(error));
  });
  const { credit: before, problems } = await loadCredit(workspace);
  warn(problems, context);
  await importCredit(workspace, credit);
  const fresh = size(mergeCredit([before, credit])) - size(before);
  if (options.json) say(context, [plainJson({ observations: size(credit), new: fresh }, 2)]);
  else say(context, [`${fresh} of ${size(credit)} observations are new`]);
}

function warn(problems: readonly string[], context: CliContext): void {
  const word = context.paint.err('yellow', 'warning');
  for (const problem of problems) context.stderr.write(`${word}: ${plainLine(problem)}\n`);
}
