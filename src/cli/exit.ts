// Exit codes, and errors that end a command with one.
import { bareVerdict, type Status, type Verdict } from '../../remote-runner/protocol.js';
import { RunnerError } from '../runner/types.js';
import { TaskError } from '../task/types.js';

export const EXIT = { ok: 0, bad: 1, task: 2, unknown: 3, interrupted: 130 } as const;

/** The exit code of a status, as scripts see it. */
export function exitCode(status: Status): number {
  switch (status) {
    case 'correct':
      return EXIT.ok;
    case 'unsupported':
    case 'task_error':
      return EXIT.task;
    case 'inconclusive':
    case 'infrastructure':
      return EXIT.unknown;
    case 'wrong':
    case 'compile_error':
    case 'launch_error':
    case 'crash':
    case 'timeout':
    case 'out_of_memory':
    case 'nondeterministic':
    case 'finding':
      return EXIT.bad;
  }
}

/** Ends the command: the message is for a person, the code for a script. */
export class CliError extends Error {
  constructor(
    message: string,
    readonly code: number = EXIT.task,
  ) {
    super(message);
    this.name = 'CliError';
  }
}

/** The verdict that stands for an error which came before any runner could give one. */
export function verdictOfError(error: unknown, mode: Verdict['mode']): Verdict {
  const status =
    error instanceof TaskError || (error instanceof CliError && error.code === EXIT.task)
      ? 'task_error'
      : 'infrastructure';
  return bareVerdict(status, messageOf(error), mode);
}

/** The code a failed command ends with. */
export function codeOfError(error: unknown): number {
  if (error instanceof CliError) return error.code;
  if (error instanceof TaskError) return EXIT.task;
  if (error instanceof RunnerError && error.code === 'cancelled') return EXIT.interrupted;
  return EXIT.unknown;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
