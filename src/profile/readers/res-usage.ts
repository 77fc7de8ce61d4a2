// Reads `cuobjdump -res-usage`: what each function of a cubin or an executable takes.

export interface ResourceUsage {
  /** Mangled. */
  name: string;
  /** `sm_90` */
  arch: string;
  registers: number;
  stackBytes: number;
  /** Static shared memory. */
  sharedBytes: number;
  localBytes: number;
  /** Bytes of constant bank 0, which holds the parameters. */
  constantBytes?: number;
}

/** Functions in the order printed, once for every architecture. */
export function readResourceUsage(text: string): ResourceUsage[] {
  const found: ResourceUsage[] = [];
  let arch = '';
  let name: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    arch = /^arch = (sm_\w+)/.exec(line)?.[1] ?? arch;
    name = /^\s*Function (\S+):$/.exec(line)?.[1] ?? name;
    const [, registers, stack, shared, local, rest] =
      /^\s*REG:(\d+) STACK:(\d+) SHARED:(\d+) LOCAL:(\d+)(.*)$/.exec(line) ?? [];
    if (name === undefined || rest === undefined) continue;
    const constant = /CONSTANT\[0\]:(\d+)/.exec(rest)?.[1];
    found.push({
      name,
      arch,
      registers: Number(registers),
      stackBytes: Number(stack),
      sharedBytes: Number(shared),
      localBytes: Number(local),
      ...(constant !== undefined && { constantBytes: Number(constant) }),
    });
    name = undefined;
  }
  return found;
}
