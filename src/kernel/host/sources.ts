// What the sources declare outside of functions, for reading host code as the compiler would: every name that is looked up here
// must mean one thing only, whatever the preprocessor does. Where that is not plain, it is refused.
import type { KernelParser } from '../parser.js';
import { preprocess, type Macro } from '../preprocess.js';
import { readKernels } from '../reader.js';
import { SourceText } from '../text.js';
import { matchBrackets, tokenize, type Token } from '../tokens.js';
import type { HostFunction, Kernel } from '../types.js';
import { expand, MacroTable, type Place } from './macros.js';
import { Refusal, shown } from './refusal.js';
import { outsideFunctions, scanDeclarations, type Declaration } from './declarations.js';

/** A stretch of tokens with the partners of its brackets. */
export interface Code {
  tokens: readonly Token[];
  partners: ReadonlyMap<number, number>;
  from: number;
  to: number;
}

interface File {
  source: SourceText;
  tokens: readonly Token[];
  partners: ReadonlyMap<number, number>;
  indexAt: ReadonlyMap<number, number>;
  place: Place;
}

/** Marks in preprocessor lines that change what is read here without a trace. */
const UNREADABLE = /push_macro|pop_macro|^#\s*include\s*[^"<\s]|^#\s*include_next|^#\s*import/;
const PRAGMA = /^#\s*pragma\s+(\w+)/;
const HARMLESS_PRAGMAS = /^(once|unroll|nounroll|nv_\w+|diag_\w+)$/;
/** Device memory that host code elsewhere in the file may have written before any call. */
const DEVICE_STATE = /^(__managed__|cudaMemcpy\w*Symbol\w*|cudaGetSymbolAddress|cuModule\w+|cuMemcpy\w+)$/;

export class HostSources {
  private readonly files: File[];
  private readonly declared = new Map<string, { declaration: Declaration; file: File }[]>();
  private readonly macros: MacroTable;
  private readonly hosts: { f: HostFunction; file: File }[] = [];
  private readonly kernels: { k: Kernel; file: File }[] = [];
  private readonly bodies = new Map<HostFunction, Code>();

  /**
   * @param texts of the sources, in the order in which they are compiled
   * @param defines macros that the task defines, as `build.define` has them
   * @throws Refusal
   */
  constructor(parser: KernelParser, texts: readonly string[], defines: Readonly<Record<string, string>> = {}) {
    const macros: { macro: Macro; file: number; isConditional: boolean }[] = [];
    const unsure = new Set<string>();
    this.files = texts.map((text, number) => {
      const source = new SourceText(text);
      const tokens = tokenize(text);
      const code = preprocess(source, tokens);
      for (const { text: line } of tokens.filter((t) => t.kind === 'directive')) {
        const pragma = PRAGMA.exec(line)?.[1];
        if (UNREADABLE.test(line) || (pragma !== undefined && !HARMLESS_PRAGMAS.test(pragma)))
          throw new Refusal(`stands in a file with ${shown(line)}`);
        const undefined_ = /^#\s*undef\s+(\w+)/.exec(line)?.[1];
        if (undefined_ !== undefined) unsure.add(undefined_);
      }
      const conditional = conditionalRanges(tokens);
      const isConditional = (at: number): boolean => conditional.some((c) => c.start <= at && at < c.end);
      for (const macro of code.macros) macros.push({ macro, file: number, isConditional: isConditional(macro.start) });
      const partners = matchBrackets(code.live);
      const state = code.live.find((t) => t.kind === 'name' && (DEVICE_STATE.test(t.text) || t.text === '_Pragma'));
      if (state) throw new Refusal(`stands in a file with ${shown(state.text)}`);
      const includes = tokens.filter((t) => t.kind === 'directive' && /^#\s*include\s*"/.test(t.text));
      const file = {
        ...{ source, tokens: code.live, partners, indexAt: new Map(code.live.map((t, i) => [t.start, i])) },
        place: { file: number, lastInclude: includes.at(-1)?.end ?? 0 },
      };
      for (const declaration of scanDeclarations(code.live, partners)) {
        const all = this.declared.get(declaration.name) ?? [];
        this.declared.set(declaration.name, all);
        // What stands in an #if may be something else for the compiler.
        const kind = isConditional(declaration.start) ? 'other' : declaration.kind;
        all.push({ declaration: { ...declaration, kind } as Declaration, file });
      }
      const read = readKernels(parser, text);
      const [unread] = read.unread;
      if (unread) throw new Refusal(`stands in a file of which a part is not read: ${unread.reason}`);
      this.hosts.push(...read.hostFunctions.map((f) => ({ f, file })));
      this.kernels.push(...read.kernels.map((k) => ({ k, file })));
      return file;
    });
    this.macros = new MacroTable(macros, unsure, defines);
    for (const file of this.files) this.checkOutside(file);
  }

  /** Macros outside of functions stand for qualifiers at most: else they could declare anything. */
  private checkOutside({ tokens, partners }: File): void {
    for (const { token, isValue } of outsideFunctions(tokens, partners)) {
      const isFine = this.macros.isQualifier(token.text) || (isValue && this.macros.isExpression(token.text));
      if (this.macros.has(token.text) && !isFine)
        throw new Refusal(`stands in a file that uses the macro ${shown(token.text)} outside of functions`);
    }
  }

  /** A word of the language, the library or CUDA: it must mean that here. @throws Refusal */
  builtin(name: string): void {
    if (this.declared.has(name) || this.macros.has(name))
      throw new Refusal(`uses ${shown(name)}, which the sources give a meaning of their own`);
  }

  isMacro(name: string): boolean {
    return this.macros.has(name);
  }

  /** The one declaration that a path names, undefined where the sources have none. @throws Refusal for several */
  private only(path: readonly string[]): { declaration: Declaration; file: File } | undefined {
    const name = path.at(-1) ?? '';
    const all = this.declared.get(name);
    if (all === undefined) return undefined;
    const [first] = all;
    if (all.length > 1 || first === undefined) throw new Refusal(`uses ${shown(name)}, of which there are several`);
    if (this.macros.has(name)) throw new Refusal(`uses ${shown(name)}, which is a macro too`);
    const scope = path.slice(0, -1).filter((p) => p !== '');
    const { scope: own } = first.declaration;
    if (scope.some((s, i) => own[own.length - scope.length + i] !== s))
      throw new Refusal(`uses ${shown(path.join('::'))}, which is not found`);
    return first;
  }

  /** The initial value of a constant outside of functions, with its declared type in front. */
  constant(path: readonly string[]): { type: Code; value: Code } | undefined {
    const found = this.only(path);
    if (found === undefined) return undefined;
    const { declaration, file } = found;
    if (declaration.kind !== 'constant')
      throw new Refusal(`uses ${shown(path.join('::'))}, which is no constant that is read here`);
    const { typeFrom, typeTo, valueFrom, valueTo } = declaration;
    return { type: this.expanded(file, typeFrom, typeTo), value: this.expanded(file, valueFrom, valueTo) };
  }

  /** The host function that a path names; undefined where the sources have nothing of that name. */
  hostFunction(path: readonly string[]): HostFunction | undefined {
    const found = this.only(path);
    if (found === undefined) return undefined;
    const { declaration, file } = found;
    const host = this.hosts.find(
      ({ f, file: own }) =>
        own === file && f.nameRange.startIndex === declaration.start && f.range.endIndex <= declaration.end,
    )?.f;
    if (declaration.kind !== 'function' || host === undefined)
      throw new Refusal(`calls ${shown(path.join('::'))}, which is no host function that is read here`);
    this.checkHeader(file, declaration);
    return host;
  }

  kernel(path: readonly string[]): Kernel {
    const found = this.only(path);
    const kernel =
      found &&
      this.kernels.find(({ k, file }) => file === found.file && k.nameRange.startIndex === found.declaration.start)?.k;
    if (!found || found.declaration.kind !== 'function' || kernel === undefined)
      throw new Refusal(`launches ${shown(path.join('::'))}, which is no kernel of the sources`);
    this.checkHeader(found.file, found.declaration);
    return kernel;
  }

  /** Nothing in the header of a function may make it another one. */
  private checkHeader({ tokens, indexAt }: File, declaration: Extract<Declaration, { kind: 'function' }>): void {
    for (let i = indexAt.get(declaration.from) ?? 0; i < tokens.length; i++) {
      const token = tokens[i];
      if (token === undefined || token.start >= declaration.headerEnd) return;
      if (this.macros.has(token.text) && !this.macros.isQualifier(token.text))
        throw new Refusal(`has the macro ${shown(token.text)} in the header of ${shown(declaration.name)}`);
      if (/^(__attribute__|asm|__asm__|__asm|__declspec)$/.test(token.text))
        throw new Refusal(`has ${token.text} in the header of ${shown(declaration.name)}`);
    }
  }

  /** The statements of a host function, its macros replaced. */
  body(f: HostFunction): Code {
    const known = this.bodies.get(f);
    if (known) return known;
    const host = this.hosts.find((h) => h.f === f);
    const declaration = this.declared
      .get(f.name)
      ?.find((d) => d.declaration.start === f.nameRange.startIndex)?.declaration;
    if (!host || declaration?.kind !== 'function') throw new Refusal(`calls ${shown(f.name)}, which is not read here`);
    const { indexAt, partners } = host.file;
    const open = indexAt.get(declaration.headerEnd) ?? 0;
    const code = this.expanded(host.file, open + 1, partners.get(open) ?? open + 1);
    this.bodies.set(f, code);
    return code;
  }

  private expanded({ tokens, place }: File, from: number, to: number): Code {
    return this.code(tokens.slice(from, to), place);
  }

  /** Text of a task or of a parameter as code, macros replaced. */
  text(text: string): Code {
    return this.code(tokenize(text), undefined);
  }

  private code(tokens: readonly Token[], place: Place | undefined): Code {
    const all = expand(tokens, this.macros, place);
    return { tokens: all, partners: matchBrackets(all), from: 0, to: all.length };
  }

  /** `line 12`, of a token of the sources. */
  line(token: Token | undefined): string {
    const file = this.files.find((f) => f.tokens.includes(token as Token)) ?? this.files[0];
    return token && file ? `line ${file.source.positionAt(token.start).line + 1}` : '';
  }
}

/** Everything between #if and #endif, an include guard around a whole file excepted. */
function conditionalRanges(tokens: readonly Token[]): { start: number; end: number }[] {
  const ranges: { start: number; end: number }[] = [];
  const open: number[] = [];
  tokens.forEach((token, i) => {
    if (token.kind !== 'directive') return;
    if (/^#\s*if/.test(token.text)) open.push(i);
    if (!/^#\s*endif/.test(token.text)) return;
    const first = open.pop();
    if (first === undefined) return;
    const guard = /^#\s*ifndef\s+(\w+)/.exec(tokens[first]?.text ?? '')?.[1];
    const next = /^#\s*define\s+(\w+)\s*$/.exec(tokens[first + 1]?.text ?? '')?.[1];
    const hasElse = tokens.slice(first, i).some((t) => t.kind === 'directive' && /^#\s*el/.test(t.text));
    const isGuard = guard !== undefined && guard === next && first === 0 && i === tokens.length - 1 && !hasElse;
    if (!isGuard) ranges.push({ start: tokens[first]?.start ?? 0, end: token.end });
  });
  // One that is never closed reaches to the end.
  for (const first of open) ranges.push({ start: tokens[first]?.start ?? 0, end: Infinity });
  return ranges;
}
