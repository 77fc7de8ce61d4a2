// Facts for the compiler: pragmas, bounds, qualifiers, template parameters. None of them changes what is computed.
import { expanded } from './constants.js';
import type { Facts } from './facts.js';
import type { FileVersion, Unit } from './version.js';

/** Word → what it is about and how much it says. */
const WORDS: Readonly<Record<string, readonly [about: string, weight: number]>> = {
  __restrict__: ['restrict', 1],
  __restrict: ['restrict', 1],
  __forceinline__: ['inlining', 1],
  __noinline__: ['inlining', 1],
  inline: ['inlining', 0.5],
  volatile: ['volatile', 0.5],
  constexpr: ['constexpr', 0.5],
  __grid_constant__: ['parameter qualifiers', 1],
  __builtin_assume: ['hints', 1],
  __builtin_expect: ['hints', 1],
  __builtin_unreachable: ['hints', 1],
  __builtin_assume_aligned: ['hints', 1],
  __attribute__: ['attributes', 1],
  alignas: ['attributes', 0.5],
  __align__: ['attributes', 0.5],
  _Pragma: ['pragmas', 2],
};
const WITH_ARGUMENTS: Readonly<Record<string, string>> = {
  __launch_bounds__: 'launch bounds',
  __maxnreg__: 'register limit',
};

export function compilerFacts(unit: Unit, facts: Facts): void {
  const { tokens, partners } = unit.file.source;
  for (let i = unit.from; i < unit.to; i++) {
    const word = tokens[i]?.text ?? '';
    const known = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
    if (known) facts.add('compiler', known[1], known[0], word);
    if (Object.hasOwn(WITH_ARGUMENTS, word)) {
      const values = tokens.slice(i + 2, partners.get(i + 1) ?? i + 2).map((t) => t.text);
      const key = values.flatMap((v) => expanded(unit.file.constants, v)).join(' ');
      facts.add('compiler', 2, WITH_ARGUMENTS[word] ?? '', key, `${word}(${values.join(' ')})`);
    }
    if (word === '__cluster_dims__') facts.add('launch', 2, 'clusters', word);
  }
  const values = unit.found?.templateParameters.filter((p) => p.kind === 'value').length ?? 0;
  for (let i = 0; i < values; i++) facts.add('compiler', 1, 'values known when compiled', 'template parameter');
}

/** Pragmas of a file; they stand for the statement that follows, so their number and text say all. */
export function pragmaFacts({ source, constants, units }: FileVersion, facts: Facts): void {
  const values = new Map(units.flatMap((u) => [...u.values]));
  for (const { text } of source.code.directives) {
    const match = /^#\s*pragma\s+(.*)$/s.exec(text);
    if (!match || /^once\b/.test(match[1] ?? '')) continue;
    const words = (match[1] ?? '').split(/\s+|\b/).filter((w) => w.trim() !== '');
    const key = words.flatMap((w) => values.get(w) ?? expanded(constants, w)).join(' ');
    facts.add('compiler', 2, 'pragmas', key, text.replace(/\s+/g, ' '));
  }
}
