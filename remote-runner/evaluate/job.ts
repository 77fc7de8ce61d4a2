// A job made ready: the task validated again on this side of the wire, scenarios laid out, the trampoline generated.
import os from 'node:os';
import path from 'node:path';
import { resolveArguments } from '../../src/task/arguments.js';
import { resolveLaunch } from '../../src/task/launch.js';
import { requireTask, validateTask } from '../../src/task/parse.js';
import { expandScenarios } from '../../src/task/scenarios.js';
import { durationMs, type TaskFile } from '../../src/task/schema.js';
import { type Scenario, TaskError } from '../../src/task/types.js';
import type { SourceFile, WireTask } from '../protocol.js';
import { checkerUnit } from '../targets/checker.js';
import type { BuildInputs } from './builds.js';
import { tracedSymbols } from './forbidden.js';
import { layOut, type Layout } from './layout.js';
import { type Callee, type CallPlan, planCalls } from './trampoline.js';

/** Dynamic shared memory above this needs an opt-in of the kernel, bytes. */
const sharedWithoutOptIn = 48 * 1024;

export interface Job {
  task: TaskFile;
  /** Smallest first. */
  layouts: Layout[];
  calls: CallPlan;
  /** Size of a segment that holds any of the scenarios, bytes. */
  segmentBytes: number;
  inputs(sources: SourceFile[]): BuildInputs;
  /** Of the reference, where the task has one. */
  reference?: BuildInputs;
  /** Of checker programs, by the file that the task names. */
  checkers: Map<string, BuildInputs>;
}

/**
 * @param heldOut whether the held-out scenarios take part
 * @param stored where the bytes of an uploaded read-only file lie
 * @throws TaskError
 */
export function prepareJob(wire: WireTask, heldOut: boolean, stored: (sha256: string) => string): Job {
  const task = requireTask(validateTask(wire.task));
  const all = expandScenarios(task);
  // Held-out scenarios shape the trampoline either way, so that both modes share one build.
  const resolved = all.map((scenario) => ({
    scenario,
    arguments: resolveArguments(task, scenario),
    launch: launchOf(task, scenario),
  }));
  const callee = calleeOf(
    task,
    wire,
    resolved.some((r) => (r.launch[6] ?? 0) > sharedWithoutOptIn),
  );
  const units = wire.original.filter((s) => /\.(cu|cpp|cc|cxx)$/i.test(s.path));
  const included = (units.length > 0 ? units : wire.original.slice(0, 1)).map((s) =>
    path.posix.relative(wire.directory, s.path),
  );
  const calls = planCalls(included, callee, resolved);
  const { reference } = wire;
  if (task.reference !== 'original' && !reference)
    throw new TaskError('$.reference', `${task.reference} did not come with the task`);
  const contentsOf = (file: string, bytes: number, argument: string): string => {
    const shipped = path.posix.join(wire.directory, file);
    const ref = wire.files.find((f) => f.path === shipped);
    if (!ref) throw new TaskError('$.arguments', `${file}, which fills ${argument}, did not come with the task`);
    if (ref.size < bytes)
      throw new TaskError('$.arguments', `${file} has ${ref.size} bytes, but ${argument} is filled with ${bytes}`);
    return stored(ref.sha256);
  };
  const layouts = resolved
    .filter((r) => heldOut || !r.scenario.heldOut)
    .map((r) => layOut(r.scenario, r.arguments, calls.runtimeVariables, r.launch, memory(), contentsOf))
    .sort((a, b) => a.bytes - b.bytes);
  const { arch, std, flags, define, include, link, timeout } = task.build;
  const trace = tracedSymbols(task.forbid);
  const defines = Object.fromEntries(
    Object.entries(define).map(([k, v]) => [k, typeof v === 'boolean' ? String(Number(v)) : String(v)]),
  );
  const inputs = (sources: SourceFile[], trampoline: string): BuildInputs => ({
    sources,
    files: wire.files,
    directory: wire.directory,
    trampoline,
    build: { arch, std, flags, define: defines, include, link, trace, timeoutMs: durationMs(timeout) },
  });
  const checkers = new Map<string, BuildInputs>();
  for (const [i, { compare }] of task.arguments.entries()) {
    if (typeof compare !== 'object') continue;
    const { check } = compare;
    const source = wire.checkers?.find((c) => c.path === path.posix.join(wire.directory, check));
    if (!source) throw new TaskError(`$.arguments[${i}].compare.check`, `${check} did not come with the task`);
    checkers.set(check, inputs([source], checkerUnit(path.posix.relative(wire.directory, source.path))));
  }
  return {
    task,
    layouts,
    calls,
    segmentBytes: Math.max(...layouts.map((l) => l.bytes)),
    inputs: (sources) => inputs(sources, calls.source),
    checkers,
    ...(reference && {
      reference: inputs(
        [reference],
        planCalls([path.posix.relative(wire.directory, reference.path)], callee, resolved).source,
      ),
    }),
  };
}

function calleeOf(task: TaskFile, wire: WireTask, largeShared: boolean): Callee {
  if (task.kernel !== undefined) {
    const { kernel: name } = task;
    const passed = wire.call?.startsWith(`${name}(`) ? wire.call.slice(name.length) : undefined;
    return { kind: 'kernel', name, passed, largeShared };
  }
  const expression = wire.call ?? task.call;
  if (expression === undefined)
    throw new TaskError(
      '$.entry',
      `the client did not resolve the call of ${task.entry}; this is a fault of the client`,
    );
  return { kind: 'call', expression };
}

/** Bytes that this process and its children may use: a container often has less than the machine. */
function memory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, os.totalmem()) : os.totalmem();
}

/** Grid, block and dynamic shared memory of a bare kernel in this scenario, as slots; empty for host entries. */
function launchOf(task: TaskFile, scenario: Scenario): number[] {
  if (!task.launch) return [];
  const { grid, block, shared } = resolveLaunch(task.launch, scenario.variables);
  return [...grid, ...block, shared];
}
