// The compiler flags a task may ask for. Task files are hostile: a flag must not name a file, a program or another tool.

const TOGGLES = new Set([
  '--use_fast_math',
  '-use_fast_math',
  '-lineinfo',
  '--generate-line-info',
  '--expt-relaxed-constexpr',
  '-expt-relaxed-constexpr',
  '--expt-extended-lambda',
  '--extended-lambda',
  '-extended-lambda',
  '--restrict',
  '-restrict',
  '-w',
  '--disable-warnings',
  '--extra-device-vectorization',
  '-extra-device-vectorization',
]);

const PATTERNS = [
  /^-O[0-3]$/,
  /^--optimize=[0-3]$/,
  /^--?maxrregcount=\d{1,3}$/,
  /^--?(ftz|prec-div|prec-sqrt|fmad)=(true|false)$/,
  /^--?diag-suppress=\d{1,6}(,\d{1,6})*$/,
];

const PTXAS = [
  /^-v$/,
  /^--verbose$/,
  /^-O[0-4]$/,
  /^--opt-level=[0-4]$/,
  /^--allow-expensive-optimizations=(true|false)$/,
  /^--?(dlcm|dscm)=(ca|cg|cs|cv|wb|wt)$/,
  /^--def-(load|store)-cache=(ca|cg|cs|cv|wb|wt)$/,
  /^--?warn-(spills|lmem-usage|double-usage)$/,
  /^--warn-on-(spills|local-memory-usage|double-precision-use)$/,
  /^--?maxrregcount=\d{1,3}$/,
  /^--?register-usage-level=\d{1,2}$/,
  /^--disable-optimizer-constants$/,
];

const ELSEWHERE: readonly [RegExp, string][] = [
  [/^(-D|--define-macro)/, 'define macros with build.define'],
  [/^(-I|--include-path|-isystem)/, 'name include folders with build.include'],
  [/^(-l|--library$|--library=)/, 'name libraries with build.link'],
  [/^(-std|--std)/, 'set the language with build.std'],
  [/^(-arch|--gpu-architecture|-gencode|--generate-code|-code)/, 'set the architecture with build.arch'],
  [/^-G$|^--device-debug$/, 'device debugging disables optimisation, so times would mean nothing'],
];

/** One flag that is refused: its index in the list and why. */
export interface RefusedFlag {
  index: number;
  message: string;
}

const PTXAS_OPTION = /^(-Xptxas|--ptxas-options)$/;
const PTXAS_JOINED = /^(-Xptxas|--ptxas-options)=(.*)$/;

/**
 * Checks a flag list against the allow-list; an empty answer means that every flag may be passed to the compiler, each as one
 * argument. `-Xptxas` takes its options joined with `=` or as the next element.
 */
export function refusedFlags(flags: readonly string[]): RefusedFlag[] {
  const refused: RefusedFlag[] = [];
  for (let index = 0; index < flags.length; index++) {
    const flag = flags[index] ?? '';
    const joined = PTXAS_JOINED.exec(flag);
    if (joined) {
      refused.push(...refusedPtxas(joined[2] ?? '', index));
    } else if (PTXAS_OPTION.test(flag)) {
      const value = flags[index + 1];
      if (value === undefined) refused.push({ index, message: `"${flag}" needs an option after it` });
      else refused.push(...refusedPtxas(value, ++index));
    } else if (!TOGGLES.has(flag) && !PATTERNS.some((p) => p.test(flag))) {
      const hint = ELSEWHERE.find(([p]) => p.test(flag))?.[1];
      refused.push({ index, message: `flag ${JSON.stringify(flag)} is not allowed: ${hint ?? ALLOWED}` });
    }
  }
  return refused;
}

function refusedPtxas(options: string, index: number): RefusedFlag[] {
  return options
    .split(',')
    .filter((o) => !PTXAS.some((p) => p.test(o)))
    .map((o) => ({
      index,
      message: `ptxas option ${JSON.stringify(o)} is not allowed: use -v, -O0 to -O4, --allow-expensive-optimizations=, -dlcm=, -dscm=, -warn-spills or -maxrregcount=`,
    }));
}

const ALLOWED =
  'use -O0 to -O3, --use_fast_math, -maxrregcount=N, --ftz=, --prec-div=, --prec-sqrt=, --fmad=, -lineinfo, --expt-relaxed-constexpr, --extended-lambda, --restrict, -Xptxas or -diag-suppress=N';
