// The emulation headers, compiled once for each set of flags: reading them takes longer than compiling most kernels.
import { createHash } from 'node:crypto';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { compiledOnce } from '../compiled-once.js';
import type { CpuCompiler } from './compiler.js';

/** What every source sees before its first line. */
const ALWAYS = 'cuda_runtime.h';
/** Large headers that sources ask for; reading them early changes nothing. */
const ON_DEMAND = ['cuda_fp16.h', 'cuda_bf16.h'];
const PREFIX = 'ks_prefix.h';
const FOLDER = 'headers-';
/** Sets of flags whose headers are kept; 23 MB each. */
const KEPT = 12;

export class PrecompiledHeaders {
  private readonly making = new Map<string, Promise<string>>();

  constructor(
    private readonly compiler: CpuCompiler,
    /** What belongs to each set of flags lies in a folder of its own below it. */
    private readonly folder: string,
    /** Names the compiler and the content of the headers. */
    private readonly key: string,
    private readonly compile: (args: string[], temporary: string) => Promise<void>,
  ) {}

  /**
   * Flags that make the compiler know the headers before it reads the source.
   * @param flags every flag of the compilation that headers could see, `-I` of the emulation headers among them
   * @param defines the task's macros. g++ compares them itself, and reads the headers anew where one would matter
   * @param text the sources: some headers are compiled in advance where they are included
   */
  async prefix(flags: readonly string[], defines: readonly string[], text: string): Promise<string[]> {
    const isClang = this.compiler.name === 'clang++';
    const wanted = ON_DEMAND.filter((h) => new RegExp(`#[ \\t]*include[ \\t]*[<"]${h}[>"]`).test(text));
    const seen = isClang ? [...flags, ...defines] : [...flags];
    const hash = createHash('sha256').update(JSON.stringify([this.key, seen, wanted]));
    const folder = path.join(this.folder, `${FOLDER}${hash.digest('hex').slice(0, 24)}`);
    const file = path.join(folder, `${PREFIX}.${isClang ? 'pch' : 'gch'}`);
    const making = this.making.get(file) ?? this.make(file, [ALWAYS, ...wanted], seen);
    this.making.set(file, making);
    try {
      await making;
    } catch {
      return ['-include', ALWAYS]; // a matter of speed only; if they do not compile, the source's own build says why
    } finally {
      this.making.delete(file);
    }
    return isClang ? ['-include-pch', file] : ['-I', folder, '-include', PREFIX];
  }

  private make(file: string, headers: string[], flags: string[]): Promise<string> {
    return compiledOnce(file, async (target, temporary) => {
      const prefix = path.join(path.dirname(file), PREFIX);
      await writeFile(prefix, headers.map((h) => `#include <${h}>\n`).join(''));
      // Dates of headers say nothing: their content is in the key.
      const undated = this.compiler.name === 'clang++' ? ['-Xclang', '-fno-pch-timestamp'] : [];
      await this.compile([...flags, ...undated, '-x', 'c++-header', prefix, '-o', target], temporary);
      await this.dropOldest();
    });
  }

  /** They are large, and those of other flags or of headers that have changed may never be asked for again. */
  private async dropOldest(): Promise<void> {
    const names = (await readdir(this.folder)).filter((n) => n.startsWith(FOLDER));
    const dated = await Promise.all(
      names.map(async (name) => ({ name, at: (await stat(path.join(this.folder, name))).mtimeMs })),
    );
    for (const { name } of dated.sort((a, b) => b.at - a.at).slice(KEPT))
      await rm(path.join(this.folder, name), { recursive: true, force: true });
  }
}
