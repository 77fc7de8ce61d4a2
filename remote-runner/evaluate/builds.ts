// Builds of candidate sources, kept by content: the same sources, flags and toolchain are compiled once.
import { createHash, randomBytes } from 'node:crypto';
import { access, copyFile, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { FileRef, SourceFile } from '../protocol.js';
import type { EvaluateContext } from './evaluator.js';
import type { BuildRequest, BuildResult, Toolchain } from '../targets/toolchain.js';

export interface BuildInputs {
  sources: SourceFile[];
  files: FileRef[];
  directory: string;
  trampoline: string;
  build: BuildRequest['build'];
}

/** How many built libraries are kept; the least recently used go first. */
const kept = 200;

export class Builds {
  constructor(private readonly folder: string) {}

  static key(toolchain: Toolchain, inputs: BuildInputs): string {
    const { sources, files, directory, trampoline, build } = inputs;
    const content = [
      toolchain.identity,
      sources.map((s) => [s.path, s.text]),
      files.map((f) => [f.path, f.sha256]),
      directory,
      trampoline,
      { ...build, timeoutMs: 0 },
    ];
    return createHash('sha256').update(JSON.stringify(content)).digest('hex');
  }

  /**
   * @param job its folder, the build works below it; where read-only files lie; what cancels it
   * @returns the result, with the library inside this store when it was built
   */
  async build(
    toolchain: Toolchain,
    inputs: BuildInputs,
    job: Pick<EvaluateContext, 'folder' | 'stored' | 'signal'>,
  ): Promise<BuildResult> {
    const entry = path.join(this.folder, Builds.key(toolchain, inputs));
    const known = await this.load(entry);
    if (known) return known;
    const folder = path.join(job.folder, `build-${randomBytes(6).toString('hex')}`);
    await mkdir(folder, { recursive: true });
    const files = inputs.files.map((f) => ({ path: f.path, stored: job.stored(f.sha256) }));
    const result = await toolchain.build({ ...inputs, files, folder, signal: job.signal });
    if (result.status === 'built') return this.save(entry, result);
    return result;
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
    await mkdir(partial, { recursive: true });
    const final = { ...result, library: path.join(entry, 'candidate.so') };
    await copyFile(result.library, path.join(partial, 'candidate.so'));
    await writeFile(path.join(partial, 'result.json'), JSON.stringify(final));
    try {
      await rename(partial, entry);
    } catch {
      // Somebody else built the same meanwhile, or what is there is half removed.
      if (!(await this.load(entry))) {
        await rm(entry, { recursive: true, force: true });
        await rename(partial, entry);
      }
      await rm(partial, { recursive: true, force: true });
    }
    await this.prune();
    return final;
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
