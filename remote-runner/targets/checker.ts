// Builds checker programs, which a task brings to judge its outputs with: plain C++ for the host, whatever the target.
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { readHostCompilerDiagnostics } from '../../src/profile/readers/host-compiler.js';
import { compilerConfinement } from '../sandbox/confinements.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { compilerView } from '../sandbox/views.js';
import type { CpuCompiler } from './cpu/compiler.js';
import { layOutJob, TRAMPOLINE } from './job-folder.js';
import type { BuildRequest, BuildResult, Builder } from './toolchain.js';

/** What is compiled: the checker's own file between what it must not take over and what answers the runner. */
export const checkerUnit = (file: string): string =>
  `#define main ks_main_of_the_file\n#include "${file}"\n#undef main\n#include <main.h>\n`;

export class CheckerToolchain implements Builder {
  private constructor(
    private readonly compiler: CpuCompiler,
    private readonly sandbox: Sandbox,
    private readonly includeFolder: string,
    readonly identity: string,
  ) {}

  static async create(compiler: CpuCompiler, sandbox: Sandbox, harnessFolder: string): Promise<CheckerToolchain> {
    const includeFolder = path.join(harnessFolder, 'checker');
    const hash = createHash('sha256');
    const own = (await readdir(includeFolder, { recursive: true })).filter((n) => n.endsWith('.h')).sort();
    for (const name of [...own, '../keeper_types.h']) hash.update(await readFile(path.join(includeFolder, name)));
    const { name, version, path: file } = compiler;
    const identity = `checker ${name} ${version} ${file} ${hash.digest('hex').slice(0, 24)}`;
    return new CheckerToolchain(compiler, sandbox, includeFolder, identity);
  }

  /** The `library` of the result is a program. */
  async build(request: BuildRequest): Promise<BuildResult> {
    const { folder, build } = request;
    const work = await layOutJob(request);
    const temporary = path.join(folder, 'tmp');
    await mkdir(temporary, { recursive: true });
    const program = path.join(folder, 'checker');
    const flags = ['-std=c++17', '-O2'];
    const args = [...flags, '-I', this.includeFolder, '-x', 'c++', TRAMPOLINE, '-o', program, '-pthread'];
    const view = [...(await compilerView([this.compiler.path])), path.dirname(this.includeFolder)];
    const run = await this.sandbox.run(
      { file: this.compiler.path, args },
      compilerConfinement(view, folder, build.timeoutMs),
      {
        cwd: work,
        env: {
          PATH: `${path.dirname(this.compiler.path)}:/usr/local/bin:/usr/bin:/bin`,
          TMPDIR: temporary,
          LANG: 'C.UTF-8',
        },
        signal: request.signal,
        timeoutMs: build.timeoutMs,
      },
    );
    const output = (run.stdout + run.stderr).trim();
    const diagnostics = readHostCompilerDiagnostics(output);
    if (run.timedOut)
      return { status: 'timeout', message: `no end after ${build.timeoutMs / 1000} s`, diagnostics, output, flags };
    if (run.code !== 0) {
      const first = diagnostics.find((d) => d.severity === 'error');
      const message = first
        ? `${path.basename(first.file)}:${first.line}: ${first.message}`
        : `${this.compiler.name} failed (${run.signal ?? `exit code ${run.code}`}): ${output.slice(-300)}`;
      return { status: first ? 'compile_error' : 'infrastructure', message, diagnostics, output, flags };
    }
    await chmod(program, 0o755);
    return {
      ...{ status: 'built', library: program, diagnostics: [], resources: [] },
      ...{ findings: [], warnings: [], output, flags },
    };
  }
}
