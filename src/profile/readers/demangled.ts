// Kernel names as NVIDIA's demangler prints them, taken apart: return type, namespaces, base name, template arguments, parameters.

export interface Demangled {
  /** Exactly as printed. */
  text: string;
  /** Without namespaces, template arguments and parameters. */
  base: string;
  /** Namespaces from the outside in; `<unnamed>` for an anonymous one. */
  scope: string[];
  /** As printed, without the angle brackets; absent for a kernel that is no template. */
  templateArguments?: string;
}

const OPEN = '<([{';
const CLOSE = '>)]}';

/** Never throws: text that is no C++ name is its own base name. */
export function readDemangled(text: string): Demangled {
  const head = beforeParameters(text.trim());
  const { parts, template } = splitScope(afterReturnType(head));
  const base = parts.at(-1) ?? '';
  return {
    text,
    base: base === '' ? text.trim() : base,
    scope: parts.slice(0, -1),
    ...(template !== undefined && { templateArguments: template }),
  };
}

/**
 * Whether a profiled kernel is the one that is meant. `wanted` is a name with or without namespaces and template arguments
 * (`ns::apply<4>`); what it does not say is not compared, but a name without a namespace means the global one and no other.
 */
export function isKernel(printed: Demangled, wanted: string): boolean {
  const other = readDemangled(wanted.replace(/^::/, ''));
  if (printed.base !== other.base || printed.scope.join('::') !== other.scope.join('::')) return false;
  return (
    other.templateArguments === undefined || sameArguments(printed.templateArguments ?? '', other.templateArguments)
  );
}

/** Up to the list of parameters, which is the last group in round brackets at depth 0. */
function beforeParameters(text: string): string {
  let depth = 0;
  let start = text.length;
  for (const [at, char] of brackets(text)) {
    if (char === '(' && depth === 0 && at > 0) start = at;
    depth = Math.max(0, depth + (OPEN.includes(char) ? 1 : -1));
  }
  return text.slice(0, start);
}

/** Templates are printed with their return type; a space at depth 0 ends it. */
function afterReturnType(text: string): string {
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (OPEN.includes(char)) depth += 1;
    else if (CLOSE.includes(char) && !(char === '>' && text[i - 1] === '-')) depth = Math.max(0, depth - 1);
    else if (char === ' ' && depth === 0) start = i + 1;
  }
  return text.slice(start);
}

function splitScope(name: string): { parts: string[]; template?: string } {
  const parts: string[] = [];
  let template: string | undefined;
  let depth = 0;
  let start = 0;
  let plain = '';
  for (let i = 0; i < name.length; i++) {
    const char = name[i]!;
    const opens = OPEN.includes(char);
    if (opens && depth === 0) {
      plain = name.slice(start, i);
      template = undefined;
      start = i;
    }
    if (opens) depth += 1;
    else if (CLOSE.includes(char)) {
      depth = Math.max(0, depth - 1);
      if (depth === 0) {
        // `<unnamed>` and `(anonymous namespace)` are names themselves.
        if (plain === '') plain = name.slice(start, i + 1);
        else template = name.slice(start + 1, i);
        start = i + 1;
      }
    } else if (depth === 0 && name.startsWith('::', i)) {
      parts.push(plain || name.slice(start, i));
      plain = '';
      template = undefined;
      i += 1;
      start = i + 1;
    }
  }
  parts.push(plain || name.slice(start));
  return { parts, ...(template !== undefined && { template }) };
}

/** `(int)32` of the printed name is `32` of the source. */
function sameArguments(printed: string, wanted: string): boolean {
  const plain = (text: string): string =>
    text.replace(/\((?:unsigned )?(?:int|long|short|char|bool)\)/g, '').replace(/\s+/g, '');
  return plain(printed) === plain(wanted);
}

function* brackets(text: string): Generator<[number, string]> {
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (OPEN.includes(char) || CLOSE.includes(char)) yield [i, char];
  }
}
