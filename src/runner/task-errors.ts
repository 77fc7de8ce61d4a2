// All faults of a task at once, so that a person mends them in one go.
import { TaskError } from '../task/types.js';

/** Faults that are told; more are counted. */
const MOST = 20;

export class TaskErrors extends TaskError {
  /** Unknown names first: what else is said to be missing is often one of them, misspelled. At most 20. */
  readonly errors: readonly TaskError[];

  constructor(all: readonly TaskError[]) {
    const isUnknown = ({ path, message }: TaskError) => message.startsWith(`${path}: unknown name `);
    const sorted = [...all.filter(isUnknown), ...all.filter((e) => !isUnknown(e))];
    const errors = sorted.slice(0, MOST);
    const first = errors[0] ?? new TaskError('$', 'is not a task');
    const rest = errors.slice(1).map((e) => `\n${e.message}`);
    const more = sorted.length > MOST ? `\n… and ${sorted.length - MOST} more` : '';
    super(first.path, first.message.slice(first.path.length + 2) + rest.join('') + more);
    this.errors = errors;
  }
}
