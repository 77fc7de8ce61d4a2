// Replaces macros as the preprocessor does, where they mean the same everywhere.
import type { Macro } from '../preprocess.js';
import { matchBrackets, tokenize, type Token } from '../tokens.js';
import { Refusal, shown } from './refusal.js';

/** Tokens of one stretch of code once all its macros are replaced. */
const MOST_TOKENS = 50_000;

/** Where code stands: a macro that is defined behind it does not exist there yet. */
export interface Place {
  file: number;
  /** Offset of the last file that this one includes. */
  lastInclude: number;
}

interface Known {
  macro: Macro;
  /** Undefined for those on the compiler's command line. */
  file: number | undefined;
}

export class MacroTable {
  /** Undefined for those that may mean several things. */
  private readonly macros = new Map<string, Known | undefined>();

  /** @param unsure names that an #undef takes away somewhere */
  constructor(
    macros: readonly { macro: Macro; file: number; isConditional: boolean }[],
    unsure: ReadonlySet<string>,
    defines: Readonly<Record<string, string>>,
  ) {
    for (const { macro, file, isConditional } of macros) {
      const { name, body } = macro;
      const partners = matchBrackets(body);
      const isBalanced = body.every((t, i) => !/^[()[\]{}]$/.test(t.text) || t.kind !== 'mark' || partners.has(i));
      if (body.some((t) => t.text === '##' || t.text === '_Pragma') || !isBalanced)
        throw new Refusal(`stands in a file with the macro ${shown(name)}, which is not read here`);
      this.macros.set(name, this.macros.has(name) || unsure.has(name) || isConditional ? undefined : { macro, file });
    }
    for (const [name, value] of Object.entries(defines)) {
      const macro: Macro = { name, body: tokenize(value), start: 0, end: 0 };
      this.macros.set(name, this.macros.has(name) ? undefined : { macro, file: undefined });
    }
  }

  has(name: string): boolean {
    return this.macros.has(name);
  }

  /** Does it stand for qualifiers only? */
  isQualifier(name: string): boolean {
    const words = this.macros.get(name)?.macro.body ?? [{ text: '?' }];
    return words.every((t) => /^(__\w+__|__restrict|static|inline|void|const|extern|"C"|\(|\)|\d+|,)$/.test(t.text));
  }

  /** Is it, with all that it uses, without statements and blocks? */
  isExpression(name: string, above: ReadonlySet<string> = new Set()): boolean {
    if (!this.macros.has(name) || above.has(name)) return true;
    const body = this.macros.get(name)?.macro.body;
    const inner = new Set([...above, name]);
    return body?.every((t) => !/^[;{}]$/.test(t.text) && this.isExpression(t.text, inner)) ?? false;
  }

  /** @throws Refusal where it depends on where or how the file is compiled */
  get(token: Token, place: Place | undefined): Macro | undefined {
    if (!this.macros.has(token.text)) return undefined;
    const known = this.macros.get(token.text);
    if (known === undefined) throw new Refusal(`uses the macro ${shown(token.text)}, which has several meanings`);
    const { macro, file } = known;
    if (place && file !== undefined && token.start < (file === place.file ? macro.end : place.lastInclude))
      throw new Refusal(`uses the macro ${shown(token.text)} before it is defined`);
    return macro;
  }
}

/** Tokens with every macro replaced, also in what macros stand for. @throws Refusal */
export function expand(
  tokens: readonly Token[],
  macros: MacroTable,
  place: Place | undefined,
  hidden: ReadonlySet<string> = new Set(),
): Token[] {
  const partners = matchBrackets(tokens);
  const result: Token[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (token === undefined) break;
    if (result.length > MOST_TOKENS) throw new Refusal('has macros that grow without end');
    const macro = token.kind === 'name' && !hidden.has(token.text) ? macros.get(token, place) : undefined;
    const isCalled = tokens[i + 1]?.text === '(';
    if (macro === undefined || (macro.parameters !== undefined && !isCalled)) {
      result.push(token);
      continue;
    }
    const inner = new Set([...hidden, macro.name]);
    if (macro.parameters === undefined) {
      result.push(...expand(placed(macro.body, token), macros, place, inner));
      continue;
    }
    const close = partners.get(i + 1);
    if (close === undefined) throw new Refusal(`uses the macro ${shown(macro.name)} without its end`);
    const args = argumentsOf(tokens, partners, i + 2, close).map((a) => expand(a, macros, place, hidden));
    result.push(...expand(substituted(macro, args, token), macros, place, inner));
    i = close;
  }
  return result;
}

/** Where the use stands, so that messages name its line; blanks between words do not matter any more. */
function placed(body: readonly Token[], use: Token): Token[] {
  const by = use.start - (body[0]?.start ?? 0);
  return body.map((t) => ({ ...t, start: t.start + by, end: t.end + by }));
}

function argumentsOf(
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  from: number,
  to: number,
): Token[][] {
  const all: Token[][] = [[]];
  for (let i = from; i < to; i++) {
    const token = tokens[i];
    const partner = partners.get(i);
    if (token === undefined) break;
    if (token.text === ',' && token.kind === 'mark') all.push([]);
    else if (partner !== undefined && partner > i) {
      all.at(-1)?.push(...tokens.slice(i, partner + 1));
      i = partner;
    } else all.at(-1)?.push(token);
  }
  return all;
}

function substituted(macro: Macro, args: readonly Token[][], use: Token): Token[] {
  const parameters = (macro.parameters ?? []).filter((p) => p !== '');
  const given = parameters.length === 0 && args.length === 1 && args[0]?.length === 0 ? [] : args;
  if (parameters.length !== given.length || macro.body.some((t) => t.text === '#' || t.text === '__VA_ARGS__'))
    throw new Refusal(`uses the macro ${shown(macro.name)}, which is not read here`);
  return placed(macro.body, use).flatMap((token) => {
    const index = token.kind === 'name' ? parameters.indexOf(token.text) : -1;
    return index === -1 ? [token] : (args[index] ?? []);
  });
}
