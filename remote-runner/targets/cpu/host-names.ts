// Functions and variables of a job that only the host has: nvcc refuses them in device code, a host compiler cannot.
import { preprocess } from '../../../src/kernel/preprocess.js';
import { SourceText } from '../../../src/kernel/text.js';
import { matchBrackets, tokenize, type Token } from '../../../src/kernel/tokens.js';
import { standsFor, type JobNames } from './job-names.js';
import { insideBlocks, statementStart } from './scopes.js';

export interface HostNames {
  functions: ReadonlySet<string>;
  variables: ReadonlySet<string>;
}

const DEVICE = new Set([
  '__global__',
  '__device__',
  '__constant__',
  '__managed__',
  '__shared__',
  'constexpr',
  'consteval',
]);
/** Words that make a statement something else than the declaration of a function or variable. */
const OTHER =
  /^(?:typedef|using|struct|class|union|enum|template|friend|operator|return|static_assert|asm|namespace|goto|new|delete)$/;
/** Functions of the C library that device code does not have. */
const C_LIBRARY =
  'rand srand random drand48 exit fprintf fputs puts putchar getchar scanf sscanf sprintf snprintf fopen fclose fread fwrite fflush getenv system strlen strcmp strncmp strcpy strncpy strcat atoi atof strtol strtod qsort usleep sleep gettimeofday clock_gettime'.split(
    ' ',
  );

/** What is declared for the host in every place where the name is declared at all. */
export function hostNames(texts: Iterable<string>, names: JobNames): HostNames {
  const functions = new Map<string, boolean>(C_LIBRARY.map((name) => [name, true]));
  const variables = new Map<string, boolean>();
  for (const text of texts) {
    const { live } = preprocess(new SourceText(text), tokenize(text));
    const partners = matchBrackets(live);
    const inside = insideBlocks(live, partners);
    const note = (kind: Map<string, boolean>, name: string, isHost: boolean): void => {
      kind.set(name, isHost && kind.get(name) !== false);
    };
    for (let i = 0; i < live.length; i++) {
      const next = live[i + 1]?.text ?? '';
      if (live[i]?.kind !== 'name' || !/^[(=;[{,]$/.test(next)) continue;
      const first = statementStart(live, partners, i);
      const head = live.slice(first, i).map((t) => t.text);
      if (head.length === 0 || !isType(live, i - 1)) continue;
      const isAtTop = inside[i] === false;
      const close = partners.get(i + 1);
      if (next === '(') {
        if (!/^(?:[;{]|const|noexcept|->|override)$/.test(live[(close ?? i) + 1]?.text ?? '')) continue;
        const isTemplate = head[0] === 'template';
        const words = isTemplate ? head.filter((w) => w !== 'template' && w !== 'class') : head;
        note(
          functions,
          live[i]!.text,
          isAtTop && !words.some((w) => OTHER.test(w)) && !standsFor(words, DEVICE, names),
        );
      } else if (isAtTop) {
        const isConstant = head.includes('const') && next !== '[';
        note(
          variables,
          live[i]!.text,
          !isConstant && !head.some((w) => OTHER.test(w)) && !standsFor(head, DEVICE, names),
        );
      } else note(functions, live[i]!.text, false);
    }
  }
  const only = (kind: Map<string, boolean>): Set<string> =>
    new Set([...kind].filter(([name, isHost]) => isHost && !names.macros.has(name)).map(([name]) => name));
  return { functions: only(functions), variables: only(variables) };
}

/** The token before a declared name ends a type. */
function isType(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  if (token?.kind === 'name') return !/^(?:return|else|case|goto|new|delete|throw|do)$/.test(token.text);
  return token?.text === '*' || token?.text === '&' || token?.text === '>';
}
