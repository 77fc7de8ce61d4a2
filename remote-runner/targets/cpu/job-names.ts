// What the files of a job define together: kernels and macros, which may be used in another file than they are defined in.
import { preprocess, type Macro } from '../../../src/kernel/preprocess.js';
import { SourceText } from '../../../src/kernel/text.js';
import { matchBrackets, tokenize, type Token } from '../../../src/kernel/tokens.js';

export interface JobNames {
  kernels: ReadonlySet<string>;
  /** All definitions of a macro, in the order of the files; which one counts where is for the preprocessor to say. */
  macros: ReadonlyMap<string, readonly Macro[]>;
  /** All words outside of preprocessor lines, and those in the bodies of macros. */
  words: ReadonlySet<string>;
  /** Macros of the build, with their values. */
  defines: Readonly<Record<string, string>>;
}

export function collectNames(texts: Iterable<string>, defines: Readonly<Record<string, string>> = {}): JobNames {
  const kernels = new Set<string>();
  const macros = new Map<string, Macro[]>();
  const words = new Set<string>();
  for (const text of texts) {
    const code = preprocess(new SourceText(text), tokenize(text));
    for (const macro of code.macros) macros.set(macro.name, [...(macros.get(macro.name) ?? []), macro]);
    for (const name of kernelNames(code.live)) kernels.add(name);
    for (const token of [...code.live, ...code.macros.flatMap((m) => m.body)]) words.add(token.text);
  }
  return { kernels, macros, words, defines };
}

/** The name behind each __global__: the first one before a bracket that is not an attribute's. */
function kernelNames(tokens: readonly Token[]): string[] {
  const partners = matchBrackets([...tokens]);
  return tokens.flatMap((token, at) => {
    if (token.text !== '__global__') return [];
    for (let i = at + 1; i < tokens.length && !/^[;{}]$/.test(tokens[i]?.text ?? ''); i++) {
      const name = tokens[i];
      if (name?.kind !== 'name' || tokens[i + 1]?.text !== '(') continue;
      if (!/^(?:__launch_bounds__|__attribute__|__maxnreg__|__block_size__|__cluster_dims__|alignas)$/.test(name.text))
        return [name.text];
      i = partners.get(i + 1) ?? i;
    }
    return [];
  });
}

/** True if one of these words is in `wanted`, or is a macro that stands for such a word. */
export function standsFor(words: readonly string[], wanted: ReadonlySet<string>, names: JobNames, depth = 0): boolean {
  return words.some((word) => {
    if (wanted.has(word)) return true;
    const definitions = depth < 8 ? (names.macros.get(word) ?? []) : [];
    return definitions.some((m) =>
      standsFor(
        m.body.map((t) => t.text),
        wanted,
        names,
        depth + 1,
      ),
    );
  });
}
