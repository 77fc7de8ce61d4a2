// All faults of a task at once, so that a person mends them in one go.
import { TaskError } from '../task/types.js';

/** Faults that are told; more are counted. */
const MOST = 20;

export class TaskErrors extends TaskError {
  /** At most 20, in the order they were found. */
  readonly errors: readonly TaskError[];

  constructor(all: readonly TaskError[]) {
    const errors = all.slice(0, MOST);
    const first = errors[0] ?? new TaskError('$', 'is not a task');
    const rest = errors.slice(1).map((e) => `\n${e.message}`);
    const more = all.length > MOST ? `\n… and ${all.length - MOST} more` : '';
    super(first.path, first.message.slice(first.path.length + 2) + rest.join('') + more);
    this.errors = errors;
  }
}
