// Builds of candidate sources, kept by content: the same sources, flags and toolchain are compiled once.
import { createHash, randomBytes } from 'node:crypto';
import {
  access,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import type { FileRef, SourceFile } from '../protocol.js';
import type { EvaluateContext } from './evaluator.js';
import { Flights } from './flights.js';
import type { Builder, BuildRequest, BuildResult } from '../targets/toolchain.js';

export interface BuildInputs {
  sources: SourceFile[];
  files: FileRef[];
  directory: string;
  trampoline: string;
  build: BuildRequest['build'];
  /** For the sanitizer: a build of its own. */
  sanitized?: boolean;
}

/** How many built libraries are kept; the least recently used go first. */
const kept = 200;

export class Builds {
  private readonly flights = new Flights<BuildResult>();

  constructor(private readonly folder: string) {}

  static key(toolchain: Builder, inputs: BuildInputs): string {
    const { sources, files, directory, trampoline, build, sanitized } = inputs;
    const content = [
      toolchain.identity,
      sources.map((s) => [s.path, s.text]),
      files.map((f) => [f.path, f.sha256]),
      directory,
      trampoline,
      { ...build, timeoutMs: 0 },
      ...(sanitized ? ['sanitized'] : []),
    ];
    return createHash('sha256').update(JSON.stringify(content)).digest('hex');
  }

  /**
   * Jobs that need the same build at the same time share it.
   * @param job where read-only files lie and there is room to work; what cancels it
   * @returns the result, with the library inside this store when it was built
   */
  async build(
    toolchain: Builder,
    inputs: BuildInputs,
    job: Pick<EvaluateContext, 'stored' | 'signal' | 'scratch'>,
  ): Promise<BuildResult> {
    const key = Builds.key(toolchain, inputs);
    const entry = path.join(this.folder, key);
    const known = await this.load(entry);
    if (known) return known;
    return this.flights.share(key, job.signal, (signal) => this.make(entry, toolchain, inputs, { ...job, signal }));
  }

  private async make(
    entry: string,
    toolchain: Builder,
    inputs: BuildInputs,
    { stored, signal, scratch }: Pick<EvaluateContext, 'stored' | 'signal' | 'scratch'>,
  ): Promise<BuildResult> {
    // Not below the folder of one job: others may wait for it when that job is gone.
    const folder = await mkdtemp(path.join(scratch, 'build-'));
    try {
      const files = inputs.files.map((f) => ({ path: f.path, stored: stored(f.sha256) }));
      const result = await toolchain.build({ ...inputs, files, folder, signal });
      return result.status === 'built' ? await this.save(entry, result) : result;
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  private async load(entry: string): Promise<BuildResult | undefined> {
    try {
      const result = JSON.parse(await readFile(path.join(entry, 'result.json'), 'utf8')) as BuildResult;
      if (result.status === 'built') await access(result.library);
      const now = new Date();
      await utimes(entry, now, now);
      return result;
    } catch {
      return undefined; // Not there, or half removed: built again.
    }
  }

  private async save(entry: string, result: Extract<BuildResult, { status: 'built' }>): Promise<BuildResult> {
    const partial = `${entry}.${randomBytes(6).toString('hex')}`;
    const final = { ...result, library: path.join(entry, 'candidate.so') };
    try {
      await mkdir(partial, { recursive: true });
      await copyFile(result.library, path.join(partial, 'candidate.so'));
      await writeFile(path.join(partial, 'result.json'), JSON.stringify(final));
      await this.place(partial, entry);
    } finally {
      await rm(partial, { recursive: true, force: true });
    }
    await this.prune();
    return final;
  }

  private async place(partial: string, entry: string): Promise<void> {
    try {
      await rename(partial, entry);
    } catch {
      // Somebody else built the same meanwhile, or what is there is half removed.
      if (await this.load(entry)) return;
      await rm(entry, { recursive: true, force: true });
      await rename(partial, entry);
    }
  }

  private async prune(): Promise<void> {
    const names = await readdir(this.folder);
    if (names.length <= kept) return;
    const aged = await Promise.all(
      names.map(async (name) => ({
        name,
        used: await stat(path.join(this.folder, name)).then(
          (s) => s.mtimeMs,
          () => 0,
        ),
      })),
    );
    aged.sort((a, b) => a.used - b.used);
    await Promise.all(
      aged
        .slice(0, names.length - kept)
        .map(({ name }) => rm(path.join(this.folder, name), { recursive: true, force: true })),
    );
  }
}
