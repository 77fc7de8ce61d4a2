// The arguments of a proposed task: roles, shapes, fills and values of what is called, in its order.
import type { Parameter } from '../../kernel/types.js';
import { integerBounds, parseType, resolveDtype } from '../dtype.js';
import { vectorElement, type Callee } from './callee.js';
import { guess, type Proposal } from './proposal.js';
import type { Step } from './reach.js';
import { roleOf } from './roles.js';
import type { Shapes } from './shapes.js';

/**
 * One object per parameter; what is doubtful is said in the proposal.
 * @param steps what the kernels do with usual sizes
 */
export function proposeArguments(
  proposal: Proposal,
  callee: Callee,
  shapes: Shapes,
  steps: readonly Step[],
): Record<string, unknown>[] {
  return new ArgumentProposer(proposal, callee, shapes, steps).all();
}

class ArgumentProposer {
  constructor(
    private readonly proposal: Proposal,
    private readonly callee: Callee,
    private readonly shapes: Shapes,
    private readonly steps: readonly Step[],
  ) {}

  all(): Record<string, unknown>[] {
    return this.callee.parameters.map((p, i) => this.argument(p, `$.arguments[${i}]`));
  }

  private argument(p: Parameter, at: string): Record<string, unknown> {
    const { callee } = this;
    const type = parseType(p.type);
    if (type?.kind === 'pointer' && callee.buffers.includes(p)) {
      const { role, isZeroed, guess: why } = roleOf(p.name, type.isConst, this.steps);
      if (why !== undefined) guess(this.proposal, `${at}.role`, why);
      const shape = this.shapes.shapes.get(p.name);
      if (shape?.guess !== undefined) guess(this.proposal, `${at}.shape`, shape.guess);
      const element = vectorElement(type.base) ?? this.written(type.base);
      return {
        name: p.name,
        type: `${type.isConst ? 'const ' : ''}${element}*`,
        shape: shape?.shape ?? [],
        ...(role === 'input' && type.isConst ? {} : { role }),
        ...(role === 'input' || role === 'inout' ? this.fill(p.name, type.base, isZeroed, at) : {}),
      };
    }
    const scalar = callee.scalars.find((s) => s.parameter === p);
    const argument = { name: p.name, type: type?.kind === 'scalar' ? this.written(type.base) : p.type };
    return scalar?.kind === 'value' ? { ...argument, value: scalar.value } : argument;
  }

  /** A bare kernel's template parameter as its launch gives it; an entry's stays a scenario variable. */
  private written(base: string): string {
    const index = this.callee.bare?.kernel.templateParameters.findIndex((t) => t.name === base) ?? -1;
    if (index === -1) return base;
    const given = this.callee.bare?.launch?.templateArguments?.split(',')[index]?.trim();
    return given !== undefined && resolveDtype(given) !== undefined ? given : 'float';
  }

  private fill(name: string, base: string, isZeroed: boolean, at: string): Record<string, unknown> {
    const { fills, offsets } = this.shapes;
    if (isZeroed) return { fill: 'zeros' };
    const dtype = this.callee.dtypeOf(base);
    const bounds = dtype && integerBounds(dtype);
    if (!bounds) return { fill: 'normal' };
    const total = offsets.get(name);
    if (total !== undefined) {
      guess(
        this.proposal,
        `${at}.fill`,
        `one element more than a size, its values are used as indices: where rows start, to ${total}`,
      );
      return { fill: { offsets: total } };
    }
    const limit = fills.get(name);
    if (limit === undefined) {
      guess(this.proposal, `${at}.fill`, 'small integers');
      return { fill: { integers: [0, dtype === 'bool' ? 1 : 100] } };
    }
    guess(this.proposal, `${at}.fill`, 'its values are used as indices');
    const high = typeof limit === 'number' ? Math.min(limit - 1, Number(bounds.high)) : `${limit} - 1`;
    return { fill: { integers: [0, high] } };
  }
}
