// Verdicts by content: what was evaluated before is answered from here, with a note. Kept are only those that another run
// could not turn: what the machine may have caused (a time limit, want of memory, a crash) is always tried again.
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type EvaluateParams, type Status, type Verdict, verdict as verdictSchema } from '../protocol.js';
import type { Toolchain } from '../targets/toolchain.js';

const LASTING = new Set<Status>(['correct', 'wrong', 'compile_error', 'launch_error', 'finding', 'unsupported']);
const MOST = 4000;
const MOST_AGE_MS = 30 * 24 * 3600 * 1000;
/** Verdicts kept between two sweeps. */
const SWEEP_EVERY = 200;

export class KnownVerdicts {
  private readonly underWay = new Map<string, Promise<void>>();
  private added = 0;

  /** @param edition names the code that evaluates: a verdict of another one does not count */
  constructor(
    private readonly folder: string,
    private readonly edition: string,
  ) {}

  /**
   * The verdict of then, or that of `evaluate`. The same evaluation under way is waited for.
   * @param toolchains on which a verdict counts
   */
  async answer(
    params: EvaluateParams,
    toolchains: readonly Toolchain[],
    signal: AbortSignal,
    evaluate: () => Promise<Verdict>,
  ): Promise<Verdict> {
    if (params.fresh) return this.keep(params, toolchains, await evaluate());
    const content = contentOf(params);
    for (let before = this.underWay.get(content); before; before = this.underWay.get(content)) {
      await unlessAborted(before, signal);
    }
    // Nothing is awaited from the look above to the entry below.
    const answered = this.knownOr(params, toolchains, evaluate);
    const done = answered.then(
      () => undefined,
      () => undefined,
    );
    this.underWay.set(content, done);
    void done.then(() => this.underWay.delete(content));
    return answered;
  }

  private async knownOr(
    params: EvaluateParams,
    toolchains: readonly Toolchain[],
    evaluate: () => Promise<Verdict>,
  ): Promise<Verdict> {
    for (const toolchain of toolchains) {
      const known = await this.load(this.key(toolchain, contentOf(params)));
      if (known) return fromStore(known);
    }
    return this.keep(params, toolchains, await evaluate());
  }

  /** Everything the outcome depends on; the toolchain's identity covers the compilers, the content what they compile. */
  private key({ identity, info }: Toolchain, content: string): string {
    const all = [this.edition, identity, info.id, info.name, info.driver ?? '', content];
    return createHash('sha256').update(JSON.stringify(all)).digest('hex');
  }

  private async keep(params: EvaluateParams, toolchains: readonly Toolchain[], verdict: Verdict): Promise<Verdict> {
    const toolchain = toolchains.find(({ info }) => info.id === verdict.target?.id);
    if (!toolchain || !LASTING.has(verdict.status)) return verdict;
    const file = this.file(this.key(toolchain, contentOf(params)));
    const partial = `${file}.${randomBytes(6).toString('hex')}`;
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await writeFile(partial, JSON.stringify(verdict), { mode: 0o600, flag: 'wx' });
      await rename(partial, file);
      if (this.added++ % SWEEP_EVERY === 0) await this.sweep();
    } catch {
      // A full disk costs the next one time.
      await rm(partial, { force: true });
    }
    return verdict;
  }

  private async load(key: string): Promise<Verdict | undefined> {
    try {
      const found = verdictSchema.parse(JSON.parse(await readFile(this.file(key), 'utf8')));
      const now = new Date();
      await utimes(this.file(key), now, now);
      return found;
    } catch {
      return undefined; // Not there, or of another version: evaluated again.
    }
  }

  private file(key: string): string {
    return path.join(this.folder, `${key}.json`);
  }

  /** Removes what was not asked for in a month, and the least recently used beyond `MOST`. */
  private async sweep(): Promise<void> {
    const entries = await Promise.all(
      (await readdir(this.folder)).map(async (name) => {
        const file = path.join(this.folder, name);
        return { file, used: (await stat(file).catch(() => undefined))?.mtimeMs ?? 0 };
      }),
    );
    entries.sort((a, b) => b.used - a.used);
    const old = entries.filter((e, i) => i >= MOST || Date.now() - e.used > MOST_AGE_MS);
    await Promise.all(old.map((e) => rm(e.file, { force: true })));
  }
}

/** What is asked, whoever asks in whichever way: the original may be named or left out, the target is the toolchain's. */
function contentOf({ fresh: _, target: __, candidate, ...rest }: EvaluateParams): string {
  const content = JSON.stringify([candidate ?? rest.task.original, rest]);
  return createHash('sha256').update(content).digest('hex');
}

function fromStore(known: Verdict): Verdict {
  const startedAt = known.provenance?.startedAt ?? '';
  const when = startedAt === '' ? 'before' : `on ${startedAt.slice(0, 16).replace('T', ' at ')} UTC`;
  return { ...known, message: `${known.message} (evaluated ${when}, not again)`, fromStore: { startedAt } };
}

async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    signal.throwIfAborted();
    await Promise.race([work, aborted]);
  } finally {
    if (onAbort) signal.removeEventListener('abort', onAbort);
  }
}
