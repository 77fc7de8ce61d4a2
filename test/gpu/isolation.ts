// What isolation holds on a CUDA machine, and what it costs to start a program in it.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import type { SourceFile, Verdict } from '../../remote-runner/protocol.js';
import { compilerConfinement, workerConfinement } from '../../remote-runner/sandbox/confinements.js';
import { warningOf } from '../../remote-runner/sandbox/isolation.js';
import { Sandbox } from '../../remote-runner/sandbox/sandbox.js';
import { compilerView } from '../../remote-runner/sandbox/views.js';
import { findCpuCompiler } from '../../remote-runner/targets/cpu/compiler.js';
import { findNvcc, findToolkit } from '../../remote-runner/targets/cuda/device.js';
import { driverView } from '../../remote-runner/targets/cuda/driver-view.js';
import { runTool } from '../../remote-runner/targets/run-tool.js';
import type { PreparedTask } from '../../src/runner/prepare.js';
import { NOTHING_SEEN, seenBy, Surroundings } from '../support/isolation.js';

interface Suite {
  root: string;
  /** What is printed at the end. */
  rows: string[];
  prepare(file: string): Promise<PreparedTask>;
  evaluate(task: PreparedTask, candidate?: SourceFile[]): Promise<Verdict>;
}

const median = (all: number[]): number => all.sort((a, b) => a - b)[Math.floor(all.length / 2)]!;

export function isolation({ root, rows, prepare, evaluate }: Suite): void {
  test('isolation: a candidate that looks around', async () => {
    const task = await prepare(path.join(root, 'test/faults/affine.task.json'));
    const probe = readFileSync(path.join(root, 'test/isolation/probe.cu'), 'utf8');
    const sources = (text: string): SourceFile[] => [{ path: task.wire.original[0]!.path, text }];
    const surroundings = await Surroundings.create();
    try {
      const filled = surroundings.fill(probe);
      const verdict = await evaluate(task, sources(filled));
      const { isolation } = verdict.provenance!;
      assert.ok(isolation, 'the verdict does not say what held');
      const seen = seenBy(verdict);
      rows.push(
        `isolation by ${isolation.means}: ${warningOf(isolation) ?? 'all of it holds'}`,
        `    the probe: ${verdict.status}, ${JSON.stringify(seen)}`,
      );
      assert.match(verdict.message, /SIGABRT/);
      if (isolation.missing.length === 0) {
        assert.deepEqual(seen, NOTHING_SEEN);
        assert.ok(!surroundings.leaksInto(verdict));
      }
      assert.deepEqual(surroundings.survivors(), []);

      const allowing = { ...task, wire: { ...task.wire, task: { ...(task.wire.task as object), forbid: [] } } };
      const quiet = await evaluate(allowing, sources(filled.replace('abort();', '')));
      rows.push(`    the same without its end: ${quiet.status} (${quiet.message})`);
      assert.equal(quiet.status, 'correct', `${quiet.message}\n${quiet.output ?? ''}`);
      assert.deepEqual(surroundings.survivors(), []);

      const { secret } = surroundings;
      const attempts = {
        include: `#include "${secret}"\n`,
        climb: `#include "${'../'.repeat(24)}${secret.slice(1)}"\n`,
        incbin: `asm(".globl s\\ns: .incbin \\"${secret}\\"\\n");\nextern char s[];\n`,
        asked: `#if __has_include("${secret}")\n#error planted_secret_5d0c2f\n#endif\n`,
        environment: '#include "/proc/self/environ"\n',
      };
      for (const [name, attempt] of Object.entries(attempts)) {
        const tried = await evaluate(task, sources(attempt + task.wire.original[0]!.text));
        rows.push(`    ${name} of a file outside: ${tried.status} (${tried.message.slice(0, 90)})`);
        if (isolation.missing.length === 0) {
          assert.ok(!surroundings.leaksInto(tried), name);
          assert.doesNotMatch(JSON.stringify(tried), /TMPDIR=|LD_LIBRARY_PATH=/);
        }
      }
    } finally {
      surroundings.dispose();
    }
  });

  test('isolation: what starting a program in it costs', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'kernelseek-cost-'));
    try {
      const compiler = (await findCpuCompiler(process.env))!;
      const nvcc = (await findNvcc(process.env))!;
      const signal = new AbortController().signal;
      const toolkit = await findToolkit(nvcc, signal);
      const sandbox = await Sandbox.create(compiler.path, path.join(root, 'dist/harness'), folder, process.env);
      const command = { file: ['/usr/bin/true', '/bin/true'].find((f) => existsSync(f))!, args: [] };
      const view = { ...driverView(), limitsMemory: false };
      const worker = workerConfinement({ ...view, read: [...view.read, '/bin', '/usr/bin'] }, command.file, folder);
      const compile = compilerConfinement(await compilerView([nvcc, `${toolkit ?? ''}/bin/nvcc`]), folder, 60_000);
      const options = { cwd: '/', env: {}, signal, timeoutMs: 60_000 };
      const times = { bare: [] as number[], worker: [] as number[], compiler: [] as number[] };
      for (let i = 0; i < 25; i++) {
        times.bare.push((await runTool(command.file, [], options)).milliseconds);
        for (const [name, confinement] of [
          ['worker', worker],
          ['compiler', compile],
        ] as const) {
          const run = await sandbox.run(command, confinement, options);
          assert.equal(run.code, 0, run.stderr);
          times[name].push(run.milliseconds);
        }
      }
      const [bare, asWorker, asCompiler] = [times.bare, times.worker, times.compiler].map((t) => median(t).toFixed(1));
      rows.push(`starting a program: ${bare} ms bare, ${asWorker} ms as a worker, ${asCompiler} ms as a compiler`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
