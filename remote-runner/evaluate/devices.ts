// Several devices of one machine: which of them an evaluation may use, and which has least to do.
import type { TargetChoice } from '../protocol.js';
import type { Toolchain } from '../targets/toolchain.js';

export class Devices {
  /** Evaluations at each device, by its id. */
  private readonly load = new Map<string, number>();

  /** @param toolchains one for each device, in the order of preference */
  constructor(private readonly toolchains: readonly Toolchain[]) {}

  /** Those that the choice allows, all of one kind: `auto` is CUDA where there is any, else the CPU. */
  of(choice: TargetChoice): Toolchain[] {
    const kind = choice === 'auto' ? this.toolchains[0]?.info.kind : choice;
    return this.toolchains.filter((t) => t.info.kind === kind);
  }

  /** Works with the one of `among` that has least to do, which counts as busy until then. */
  async use<Of extends Toolchain, T>(among: readonly Of[], work: (toolchain: Of) => Promise<T>): Promise<T> {
    const load = ({ info }: Of): number => this.load.get(info.id) ?? 0;
    const [first, ...others] = among;
    if (!first) throw new Error('there is no device to choose from');
    const chosen = others.reduce((least, t) => (load(t) < load(least) ? t : least), first);
    this.load.set(chosen.info.id, load(chosen) + 1);
    try {
      return await work(chosen);
    } finally {
      this.load.set(chosen.info.id, load(chosen) - 1);
    }
  }
}
