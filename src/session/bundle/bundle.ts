// A session as one file that somebody else can open: trace, sources, and a report to read without KernelSeek.
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { sourceFile, sourcesSha256, type SourceFile } from '../../../remote-runner/protocol.js';
import { traceEvent, type TraceEvent } from '../events.js';
import { fold, type SessionState } from '../fold.js';
import { History } from '../history.js';
import { FILES, isSessionId, makeSessionFolder, sessionFolder } from '../place.js';
import { parseTrace } from '../trace.js';
import { readArchive, writeArchive } from './archive.js';
import { withoutSource } from './redact.js';
import { holdsKey, mapStrings, scrubber } from './scrub.js';

const MANIFEST = 'bundle.json';
const manifest = z.object({
  format: z.literal('kernelseek-bundle'),
  version: z.literal(1),
  session: z.string().refine(isSessionId, 'must be the id of a session'),
  /** Paths of the task's sources, where their text was left out. */
  withoutSource: z.array(sourceFile.shape.path).max(64).optional(),
});
const sourcesOf = z.array(sourceFile).min(1).max(64);

const fileOf = (name: string): string => `sources/${name}.json`;
const isPart = (name: string): boolean =>
  [MANIFEST, FILES.trace, 'report.html', 'README.txt'].includes(name) ||
  /^sources\/(original|c\d{1,6})\.json$/.test(name);

export interface ToBundle {
  session: string;
  workspace: string;
  events: readonly TraceEvent[];
  original: readonly SourceFile[];
  /** By candidate. */
  sources: ReadonlyMap<string, readonly SourceFile[]>;
  redactSource: boolean;
  env: NodeJS.ProcessEnv;
  /** Made from what the bundle will say, not from what is here. */
  report: (events: readonly TraceEvent[]) => string;
}

/**
 * @returns the zip
 * @throws Error when a source holds what looks like a key
 */
export async function packBundle(of: ToBundle): Promise<Buffer> {
  const { session, redactSource, env } = of;
  const scrub = scrubber(env, of.workspace);
  const events = of.events.map((event) => {
    const told = redactSource ? withoutSource(event) : event;
    return traceEvent.parse(withoutPlace(mapStrings(told, scrub) as TraceEvent));
  });
  const files = new Map([
    [
      MANIFEST,
      JSON.stringify({
        format: 'kernelseek-bundle',
        version: 1,
        session,
        ...(redactSource && { withoutSource: of.original.map((s) => s.path) }),
      }),
    ],
    ['README.txt', readme(session)],
    ['report.html', of.report(events)],
    [FILES.trace, events.map((event) => `${JSON.stringify(event)}\n`).join('')],
  ]);
  if (!redactSource) {
    for (const [name, sources] of [['original', of.original] as const, ...of.sources]) {
      const open = sources.find(({ text }) => holdsKey(text, env));
      if (open) {
        throw new Error(
          `${open.path} (${name}) holds what looks like a key: nothing was written; --redact-source leaves sources out`,
        );
      }
      files.set(fileOf(name), JSON.stringify(sources));
    }
  }
  return writeArchive(files);
}

/** Where the runner and the model are is known to its own network only. */
function withoutPlace(event: TraceEvent): TraceEvent {
  if (event.type === 'runner' && event.address !== 'local') return { ...event, address: 'a runner' };
  if (event.type === 'started' && event.endpoint !== undefined) return { ...event, endpoint: 'an endpoint' };
  return event;
}

function readme(session: string): string {
  return `Session ${session} of KernelSeek. report.html opens in any browser. To look closer:

    kernelseek bundle --open FILE     then kernelseek sessions, report, export in that folder
`;
}

/**
 * Makes the session of a bundle below a workspace folder; all or nothing.
 * @returns folder of the session
 * @throws Error saying what is wrong with the bundle, or that the session is there already
 */
export async function openBundle(bytes: Buffer, workspace: string): Promise<string> {
  const files = await readArchive(bytes, isPart);
  const { session, withoutSource: paths } = parsed(manifest, files, MANIFEST);
  const { events } = parseTrace(Buffer.from(textOf(files, FILES.trace)), FILES.trace);
  const state = fold(events);
  if (state?.session !== session) throw new Error(`its trace is not that of session ${session}`);
  const versions = versionsOf(files, state, paths);
  if (existsSync(sessionFolder(workspace, session))) throw new Error(`session ${session} is in ${workspace} already`);
  const folder = await makeSessionFolder(workspace, session);
  try {
    const history = await History.open(folder);
    const commits = new Map([
      ['original', await history.commit('original', versions.get('original') ?? [], [], 'The original')],
    ]);
    for (const { id, parent, note } of state.candidates) {
      const from = commits.get(parent ?? 'original');
      if (from !== undefined) commits.set(id, await history.commit(id, versions.get(id) ?? [], [from], note));
    }
    // The same sources, committed here: their commits have other names.
    const lines = events.map((e) => (e.type === 'candidate' ? { ...e, commit: commits.get(e.id) ?? e.commit } : e));
    await writeFile(path.join(folder, FILES.trace), lines.map((e) => `${JSON.stringify(e)}\n`).join(''), {
      flag: 'wx',
    });
    return folder;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Sources by name; those that were left out stand as a line that says so. */
function versionsOf(
  files: ReadonlyMap<string, string>,
  state: SessionState,
  leftOut: readonly string[] | undefined,
): Map<string, SourceFile[]> {
  const named: [name: string, sha: string][] = [
    ['original', state.originalSha256],
    ...state.candidates.map((c): [string, string] => [c.id, c.sourcesSha256]),
  ];
  return new Map(
    named.map(([name, sha]) => {
      if (leftOut) return [name, leftOut.map((file) => ({ path: file, text: `// left out of the bundle: ${sha}\n` }))];
      const sources = parsed(sourcesOf, files, fileOf(name));
      if (sourcesSha256(sources) !== sha) throw new Error(`the sources of ${name} are not those of its verdict`);
      return [name, sources];
    }),
  );
}

/** @throws Error naming the file and what is wrong in it */
function parsed<T extends z.ZodType>(schema: T, files: ReadonlyMap<string, string>, name: string): z.output<T> {
  let json: unknown;
  try {
    json = JSON.parse(textOf(files, name));
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Error(`${name}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`);
}

function textOf(files: ReadonlyMap<string, string>, name: string): string {
  const text = files.get(name);
  if (text === undefined) throw new Error(`${name} is missing from it`);
  return text;
}
