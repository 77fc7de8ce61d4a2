// nvcc's flags as the host compiler's, one by one. None of them may change what floating point means for the process:
// --use_fast_math never becomes -ffast-math, which would switch the whole worker to flushing subnormals.

export interface MappedFlags {
  flags: string[];
  warnings: string[];
}

/** @param flags already checked against the task's allow-list; unknown ones are dropped with a warning */
export function mapFlags(flags: readonly string[]): MappedFlags {
  let level = '2';
  const mapped: string[] = [];
  const warnings: string[] = [];
  for (let i = 0; i < flags.length; i++) {
    const flag = flags[i] ?? '';
    const optimize = /^(?:-O|--optimize=)([0-3])$/.exec(flag)?.[1];
    if (optimize !== undefined) level = optimize;
    else if (flag === '-Xptxas' || flag === '--ptxas-options') i++;
    else if (/^--?use_fast_math$/.test(flag))
      warnings.push('the CPU target ignores --use_fast_math: results are those of precise arithmetic');
    else if (/^--?(?:ftz=true|prec-div=false|prec-sqrt=false)$/.test(flag))
      warnings.push(`the CPU target ignores ${flag}: results are those of precise arithmetic`);
    else if (flag === '-w' || flag === '--disable-warnings') mapped.push('-w');
    else if (!IRRELEVANT.test(flag)) warnings.push(`the CPU target does not know ${flag} and ignores it`);
  }
  return { flags: [`-O${level}`, ...mapped], warnings };
}

/** Says something about the device code generator, or is always on here. */
const IRRELEVANT =
  /^(?:--?(?:lineinfo|generate-line-info|expt-relaxed-constexpr|expt-extended-lambda|extended-lambda|restrict|extra-device-vectorization|ftz=false|prec-div=true|prec-sqrt=true|fmad=(?:true|false)|maxrregcount=\d+|diag-suppress=[\d,]+)|(?:-Xptxas|--ptxas-options)=.*)$/;

/** The emulation headers need C++17, which accepts all but exotic older code. */
export function mapStandard(std: string): string {
  return /^c\+\+(?:03|11|14)$/.test(std) ? 'c++17' : std;
}
