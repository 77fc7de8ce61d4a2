// Looks once in an evaluation for other processes on its GPU: when the workers hold theirs and nothing is timed yet.
import { foreignProcesses, sharedDevice } from '../targets/cuda/processes.js';
import type { Toolchain } from '../targets/toolchain.js';
import type { EvaluateContext } from './evaluator.js';

export class Others {
  private seen: Promise<string | undefined> | undefined;

  constructor(
    private readonly toolchain: Toolchain,
    private readonly environment: NodeJS.ProcessEnv,
  ) {}

  /** The context that looks when the evaluation comes to its first check. */
  watching(context: EvaluateContext): EvaluateContext {
    if (this.toolchain.info.kind !== 'cuda') return context;
    return {
      ...context,
      progress: (event) => {
        if (event.phase === 'check' || event.phase === 'time') this.seen ??= this.look(context.signal);
        context.progress(event);
      },
    };
  }

  /** What to warn of. */
  async warning(): Promise<string | undefined> {
    return this.seen;
  }

  private look(signal: AbortSignal): Promise<string | undefined> {
    return foreignProcesses(this.toolchain.info.id, this.environment, signal).then(sharedDevice, () => undefined);
  }
}
