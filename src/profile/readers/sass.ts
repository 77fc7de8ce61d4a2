// Reads `cuobjdump -sass`, `nvdisasm -c -gi` and `nvdisasm -c -plr -lrm count`: instructions by function, with source lines or
// with live registers where the tool gives them.

export interface SassInstruction {
  /** Bytes from the start of the function. */
  offset: number;
  /** With its predicate, without the encoding. */
  text: string;
  /** Place that the compiler gives, innermost inlined function first; empty without line information. */
  places: { file: string; line: number }[];
  /** Registers, predicates and uniform registers that hold a value that is still needed. */
  live?: { registers: number; predicates: number; uniform: number };
}

export interface SassFunction {
  /** Mangled. */
  name: string;
  /** `sm_90`; absent where the text does not say. */
  arch?: string;
  instructions: SassInstruction[];
}

const FUNCTION = /^\s*Function : (\S+)|^\.text\.(\S+):|^\/\/-+ \.text\.(\S+)\s+-+/;
const ARCH = /^\s*(?:arch = |\.target\s+)(sm_\w+)/;
const INSTRUCTION = /^\s*\/\*([0-9a-f]{4,})\*\/\s+(.*?);/;
const LIVE = /\/\/ \|\s*(\d*)\s*\|\s*(\d*)\s*\|\s*(\d*)\s*\|/;
const PLACE = /^\s*\/\/## File "([^"]+)", line (\d+)(.*)$/;

/** Functions in the order printed; instructions that belong to none are left out. */
export function readSass(text: string): SassFunction[] {
  const functions: SassFunction[] = [];
  let arch: string | undefined;
  let current: SassFunction | undefined;
  let places: SassInstruction['places'] = [];
  let inlined = false;
  for (const line of text.split(/\r?\n/)) {
    const instruction = INSTRUCTION.exec(line);
    if (instruction) {
      inlined = false;
      const [, offset, sass] = instruction;
      current?.instructions.push({
        offset: Number.parseInt(offset!, 16),
        text: sass!.trim().replace(/\s+/g, ' '),
        places,
        ...liveOf(line),
      });
      continue;
    }
    const place = PLACE.exec(line);
    if (place) {
      const [, file, number, rest] = place;
      // A chain of inlining is printed from the inside out, one comment a level.
      places = [...(inlined ? places : []), { file: file!, line: Number(number) }];
      inlined = rest!.includes('inlined at');
      continue;
    }
    arch = ARCH.exec(line)?.[1] ?? arch;
    const match = FUNCTION.exec(line);
    const name = match?.[1] ?? match?.[2] ?? match?.[3];
    if (name !== undefined && name !== current?.name) {
      current = { name, ...(arch !== undefined && { arch }), instructions: [] };
      functions.push(current);
      places = [];
    }
  }
  return functions.filter((f) => f.instructions.length > 0);
}

function liveOf(line: string): Pick<SassInstruction, 'live'> {
  const [all, registers, predicates, uniform] = LIVE.exec(line) ?? [];
  if (all === undefined) return {};
  return { live: { registers: Number(registers), predicates: Number(predicates), uniform: Number(uniform) } };
}
