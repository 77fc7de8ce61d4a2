// What a buffer is for, from how the kernels use it in their order.
import type { Access } from '../../kernel/accesses.js';
import type { Role } from '../types.js';
import type { Step } from './reach.js';

export interface ProposedRole {
  role: Role;
  /** Counters start at zero. */
  isZeroed: boolean;
  /** Absent where the code leaves no doubt. */
  guess?: string;
}

/** The role of one buffer of the entry. */
export function roleOf(pointer: string, isConst: boolean, steps: readonly Step[]): ProposedRole {
  if (isConst) return { role: 'input', isZeroed: false };
  const kinds = steps.flatMap((step): Access['kind'][] => {
    if (step.kind === 'fill') return step.pointer === pointer ? ['write'] : [];
    const names = [...step.pointers].filter(([, to]) => to === pointer).map(([from]) => from);
    return step.body.accesses
      .filter((a) => names.includes(a.pointer))
      .map((a): Access['kind'] => {
        // A function that is handed a pointer to const can only read.
        const type = step.kernel.parameters.find((p) => p.name === a.pointer)?.type ?? '';
        return a.kind === 'passed' && /\bconst\b/.test(type) ? 'read' : a.kind;
      });
  });
  const [first] = kinds;
  if (first === undefined) {
    const isOutput = /^(d_?)?(out|output|y|o|dst|dest|res|result|c|z)(put)?$/i.test(pointer);
    return {
      role: isOutput ? 'output' : 'input',
      isZeroed: false,
      guess: 'no use of it was found in the kernels: the role is taken from its name',
    };
  }
  if (kinds.every((k) => k === 'read')) return { role: 'input', isZeroed: false };
  if (first === 'write') return { role: 'output', isZeroed: false };
  if (kinds.every((k) => k === 'atomic')) {
    return { role: 'inout', isZeroed: true, guess: 'it is updated by atomics and cleared nowhere: it starts as zeros' };
  }
  if (first === 'passed') {
    return {
      role: 'output',
      isZeroed: false,
      guess: 'it is handed to a function that was not followed: taken for an output',
    };
  }
  return { role: 'inout', isZeroed: false, guess: 'it is read before it is written' };
}
