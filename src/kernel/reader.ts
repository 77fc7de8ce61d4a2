// Reads a .cu file: kernels, launches, host functions, integer constants, includes, and what could not be read.
import { findConstants } from './constants.js';
import { findFunctions, readParameters, type FoundFunction } from './functions.js';
import { findLaunches } from './launches.js';
import { findQualifiers, maskText, type MacroUse, type Qualified, type Qualifier } from './mask.js';
import type { KernelParser } from './parser.js';
import { expandMacro, preprocess, type Macro, type Preprocessed } from './preprocess.js';
import { SourceText } from './text.js';
import { matchBrackets, templateEnd, tokenize, type Token } from './tokens.js';
import type {
  HostFunction,
  Include,
  Kernel,
  KernelFile,
  Launch,
  Parameter,
  TemplateParameter,
  Unread,
} from './types.js';

/** A text as readers of it need it: its words, and what the grammar may see of it. */
export interface MaskedSource {
  source: SourceText;
  code: Preprocessed;
  /** The live ones. */
  tokens: readonly Token[];
  partners: ReadonlyMap<number, number>;
  launches: Launch[];
  unreadLaunches: Unread[];
  qualified: Qualified;
  /** As long as the text, so that every offset stays the same. */
  masked: string;
}

export function maskedSource(text: string): MaskedSource {
  const source = new SourceText(text);
  const code = preprocess(source, tokenize(text));
  const tokens = code.live;
  const partners = matchBrackets(tokens);
  const { launches, unread: unreadLaunches } = findLaunches(source, tokens, partners);
  const qualified = findQualifiers(tokens, partners, code.macros);
  const masked = maskText(source, code, qualified, launches);
  return { source, code, tokens, partners, launches, unreadLaunches, qualified, masked };
}

/** Reads one source text. Never throws for what the text contains: what it cannot read is in `unread`. */
export function readKernels(parser: KernelParser, text: string): KernelFile {
  const { source, code, tokens, partners, launches, unreadLaunches, qualified, masked } = maskedSource(text);
  const functions = parser.withTree(masked, findFunctions).sort((a, b) => a.start - b.start);
  const room = new Room(source, tokens, partners, qualified.qualifiers);
  const described = room.describe(functions);

  const fromMacros = qualified.uses.slice(0, MAX_USES).map((use) => ({ use, kernels: kernelsOf(parser, source, use) }));
  const kernels = described
    .filter((f) => f.isKernel && f.found.bodyStart !== undefined)
    .map((f) => room.kernel(f))
    .concat(fromMacros.flatMap((m) => m.kernels))
    .sort((a, b) => a.range.startIndex - b.range.startIndex);
  const hostFunctions = described
    .filter((f) => f.isHost && f.found.bodyStart !== undefined)
    .map((f) => room.hostFunction(f, launches));
  const hostBodies = described
    .filter((f) => f.isHost)
    .flatMap(({ found: { bodyStart, end } }) => (bodyStart === undefined ? [] : [{ start: bodyStart, end }]));
  for (const launch of launches) {
    const inside = described.filter((f) => f.found.bodyStart !== undefined && contains(f, launch)).at(-1);
    if (inside) launch.inFunction = inside.found.qualifiedName;
  }
  return {
    kernels,
    launches,
    hostFunctions,
    constants: findConstants(source, tokens, partners, code.macros, hostBodies),
    includes: readIncludes(source, code.directives),
    unread: [
      ...code.unread,
      ...unreadLaunches,
      ...code.macros.filter((m) => m.body.some((t) => t.text === '<<<')).map((m) => hiddenLaunch(source, m)),
      ...fromMacros.filter((m) => m.kernels.length === 0).map((m) => hiddenKernels(source, m.use)),
      ...room.unaccounted(described),
    ].sort((a, b) => a.range.startIndex - b.range.startIndex),
  };
}

/** A function with what its qualifiers and tokens say. */
interface Described {
  found: FoundFunction;
  /** Qualifiers in front of it included. */
  start: number;
  isKernel: boolean;
  isHost: boolean;
  bounds: string[];
  parameters: Parameter[];
  signature: string;
}

function contains(f: Described, launch: Launch): boolean {
  return (f.found.bodyStart ?? 0) <= launch.range.startIndex && launch.range.endIndex <= f.found.end;
}

/** Everything about one text that describing its functions needs. */
class Room {
  private readonly indexAt: Map<number, number>;

  constructor(
    private readonly source: SourceText,
    private readonly tokens: readonly Token[],
    private readonly partners: ReadonlyMap<number, number>,
    private readonly qualifiers: readonly Qualifier[],
  ) {
    this.indexAt = new Map(tokens.map((t, i) => [t.start, i]));
  }

  describe(functions: readonly FoundFunction[]): Described[] {
    const described = functions.map((f) => this.describeOne(f));
    // Default arguments stand in the declaration, mostly.
    for (const declaration of described.filter((d) => d.found.bodyStart === undefined)) {
      const definition = described.find(
        (d) => d.found.bodyStart !== undefined && d.signature === declaration.signature,
      );
      definition?.parameters.forEach((p, i) => (p.default ??= declaration.parameters[i]?.default));
    }
    return described;
  }

  private describeOne(found: FoundFunction): Described {
    const start = this.startWithQualifiers(found.start);
    const headerEnd = found.bodyStart ?? found.end;
    const own = this.qualifiers.filter((q) => q.start >= start && q.end <= headerEnd);
    const kinds = new Set(own.map((q) => q.kind));
    const open = this.indexAt.get(found.parametersStart);
    const parameters = open === undefined ? [] : readParameters(this.tokens, this.partners, open);
    return {
      found,
      start,
      isKernel: kinds.has('global'),
      isHost: !kinds.has('global') && (!kinds.has('device') || kinds.has('host')),
      bounds: own.find((q) => q.bounds !== undefined)?.bounds ?? [],
      parameters,
      signature: signatureOf(found.qualifiedName, found.templateParameters, parameters),
    };
  }

  /** Masked qualifiers directly before a function belong to it, though the tree does not see them. */
  private startWithQualifiers(start: number): number {
    let first = start;
    for (let i = this.qualifiers.length - 1; i >= 0; i--) {
      const q = this.qualifiers[i];
      if (q === undefined || q.start >= first) continue;
      const before = this.tokens[(this.indexAt.get(first) ?? 0) - 1];
      if (before === undefined || before.end > q.end || before.start < q.start) break;
      first = q.start;
    }
    return first;
  }

  /** What a kernel and a host function have in common. */
  private described({ found, start, parameters, signature }: Described) {
    return {
      name: found.name,
      qualifiedName: found.qualifiedName,
      signature,
      templateParameters: found.templateParameters,
      parameters,
      nameRange: this.source.range(found.nameStart, found.nameEnd),
      range: this.source.range(start, found.end),
    };
  }

  kernel(described: Described): Kernel {
    return { ...this.described(described), bounds: described.bounds };
  }

  hostFunction(described: Described, launches: readonly Launch[]): HostFunction {
    const { found } = described;
    return {
      ...this.described(described),
      returnType: found.returnType,
      linkage: found.linkage,
      isStatic: found.isStatic,
      launches: launches.flatMap((l, i) => (contains(described, l) ? [i] : [])),
      calls: this.calls(found),
    };
  }

  private calls(found: FoundFunction): string[] {
    const names = new Set<string>();
    const from = this.indexAt.get(found.bodyStart ?? -1) ?? this.tokens.length;
    for (let i = from; i < this.tokens.length; i++) {
      const token = this.tokens[i];
      if (token === undefined || token.start >= found.end) break;
      if (token.kind !== 'name' || NOT_CALLS.has(token.text)) continue;
      const next = this.tokens[i + 1]?.text;
      const template = next === '<' ? templateEnd(this.tokens, this.partners, i + 1, this.tokens.length) : undefined;
      if (this.tokens[(template ?? i) + 1]?.text === '(') names.add(token.text);
    }
    return [...names];
  }

  /** A __global__ that no function accounts for: code the grammar could not read. */
  unaccounted(described: readonly Described[]): Unread[] {
    return this.qualifiers
      .filter((q) => q.kind === 'global')
      .filter((q) => !described.some((d) => d.start <= q.start && q.end <= d.found.end))
      .map((q) => ({
        range: this.source.range(q.start, q.end),
        reason:
          'a kernel whose declaration could not be read: check the code before it for a missing brace or semicolon',
      }));
  }
}

const NOT_CALLS = new Set([
  'if',
  'for',
  'while',
  'switch',
  'return',
  'sizeof',
  'alignof',
  'decltype',
  'catch',
  'noexcept',
]);

/** `outer::inner::scale<T,M,N>(T*,int)`: blanks and __restrict__ left out, so that overloads compare equal. */
function signatureOf(
  qualifiedName: string,
  templateParameters: readonly TemplateParameter[],
  parameters: readonly Parameter[],
): string {
  const template = templateParameters.length > 0 ? `<${templateParameters.map((p) => p.name).join(',')}>` : '';
  const types = parameters.map((p) =>
    p.type
      .replace(/\b(__restrict__|__restrict|restrict)\b/g, '')
      .replace(/\s*([*&<>,:[\]()])\s*/g, '$1')
      .trim(),
  );
  return `${qualifiedName}${template}(${types.join(',')})`;
}

function readIncludes(source: SourceText, directives: readonly Token[]): Include[] {
  return directives.flatMap((d) => {
    const match = /^#\s*include\s*(?:"([^"\n]+)"|<([^>\n]+)>)/.exec(d.text);
    const path = match?.[1] ?? match?.[2];
    if (path === undefined) return [];
    return [{ path, quoted: match?.[1] !== undefined, range: source.range(d.start, d.end) }];
  });
}

/** More uses of macros that define kernels are not read. */
const MAX_USES = 256;

/** The kernels that one use of a macro defines, placed where the use stands. */
function kernelsOf(parser: KernelParser, source: SourceText, use: MacroUse): Kernel[] {
  const range = source.range(use.start, use.end);
  const nameRange = source.range(use.start, use.start + use.macro.name.length);
  return readKernels(parser, expandMacro(use.macro, use.arguments)).kernels.map((k) => ({ ...k, range, nameRange }));
}

function hiddenKernels(source: SourceText, { macro, start, end }: MacroUse): Unread {
  const reason = `the macro ${macro.name} hides kernels: their names are only known to the compiler`;
  return { range: source.range(start, end), reason };
}

function hiddenLaunch(source: SourceText, macro: Macro): Unread {
  const reason = `the macro ${macro.name} hides a launch: write it out where it is used to have it read`;
  return { range: source.range(macro.start, macro.end), reason };
}
