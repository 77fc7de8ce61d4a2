// Functions of a file, from the syntax tree of its masked text: namespaces, classes, templates, linkage, and where bodies lie.
// Parameters are read from tokens, which also serve where the tree is broken.
import type { Node, Tree } from 'web-tree-sitter';
import { joined } from './mask.js';
import { splitArguments, type Token } from './tokens.js';
import type { Parameter, TemplateParameter } from './types.js';

/** A function definition or declaration; offsets into the text. */
export interface FoundFunction {
  name: string;
  qualifiedName: string;
  templateParameters: TemplateParameter[];
  returnType: string;
  isStatic: boolean;
  linkage: 'C' | 'C++';
  nameStart: number;
  nameEnd: number;
  /** Opening parenthesis of the parameters. */
  parametersStart: number;
  /** With template, linkage and storage words; qualifiers in front of them not included. */
  start: number;
  end: number;
  /** Absent for declarations. */
  bodyStart?: number;
}

interface Context {
  scope: readonly string[];
  linkage: 'C' | 'C++';
  /** Start and template parameters of what wraps a single declaration. */
  start?: number;
  templateParameters: TemplateParameter[];
  depth: number;
}

/** Nesting beyond any real file's is not followed: the walk recurses, and the text may be anything. */
const DEEPEST = 400;

const PLAIN: Context = { scope: [], linkage: 'C++', templateParameters: [], depth: 0 };

/** All functions outside function bodies; inside bodies only where the tree is broken. */
export function findFunctions(tree: Tree): FoundFunction[] {
  const found: FoundFunction[] = [];
  walk(tree.rootNode, PLAIN, found);
  return found;
}

function walk(node: Node, context: Context, found: FoundFunction[]): void {
  if (context.depth > DEEPEST) return;
  const depth = context.depth + 1;
  const inside: Context = { ...context, start: undefined, templateParameters: [], depth };
  switch (node.type) {
    case 'function_definition':
    case 'declaration':
    case 'field_declaration': {
      const fn = readFunction(node, context);
      if (fn) found.push(fn);
      else walkChildren(node, inside, found);
      // A missing brace makes the grammar swallow what follows: look inside.
      const body = node.childForFieldName('body');
      if (fn && body?.hasError) walkChildren(body, inside, found);
      return;
    }
    case 'namespace_definition': {
      const name = node.childForFieldName('name')?.text ?? '(anonymous)';
      const body = node.childForFieldName('body');
      const scope = [...context.scope, ...name.split('::').map((n) => n.replace(/^inline\s+/, '').trim())];
      if (body) walkChildren(body, { ...inside, scope }, found);
      return;
    }
    case 'class_specifier':
    case 'struct_specifier':
    case 'union_specifier': {
      const body = node.childForFieldName('body');
      const name = node.childForFieldName('name')?.text ?? '(anonymous)';
      if (body) walkChildren(body, { ...inside, scope: [...context.scope, name] }, found);
      return;
    }
    case 'linkage_specification': {
      const body = node.childForFieldName('body');
      const linkage = node.childForFieldName('value')?.text === '"C"' ? 'C' : 'C++';
      if (!body) return;
      if (body.type === 'declaration_list') walkChildren(body, { ...inside, linkage }, found);
      else walk(body, { ...context, depth, linkage, start: context.start ?? node.startIndex }, found);
      return;
    }
    case 'template_declaration': {
      const parameters = node.childForFieldName('parameters');
      const templateParameters = parameters ? readTemplateParameters(parameters) : [];
      const start = context.start ?? node.startIndex;
      for (const child of node.namedChildren) {
        if (child && child.type !== 'template_parameter_list')
          walk(child, { ...context, depth, start, templateParameters }, found);
      }
      return;
    }
    case 'expression_statement':
    case 'comment':
      return;
    default:
      walkChildren(node, node.type === 'ERROR' ? { ...context, depth } : inside, found);
  }
}

function walkChildren(node: Node, context: Context, found: FoundFunction[]): void {
  for (const child of node.namedChildren) if (child) walk(child, context, found);
}

function readFunction(node: Node, context: Context): FoundFunction | undefined {
  const pointers: string[] = [];
  let declarator = node.childForFieldName('declarator');
  while (declarator && declarator.type !== 'function_declarator') {
    if (declarator.type === 'pointer_declarator') pointers.push('*');
    else if (declarator.type === 'reference_declarator') pointers.push(declarator.text.startsWith('&&') ? '&&' : '&');
    else if (declarator.type !== 'parenthesized_declarator') return undefined;
    declarator = declarator.childForFieldName('declarator') ?? declarator.namedChildren.at(-1) ?? null;
  }
  const nameNode = declarator?.childForFieldName('declarator');
  const parameters = declarator?.childForFieldName('parameters');
  if (!declarator || !nameNode || !parameters) return undefined;
  const scope = [...context.scope];
  let last = nameNode;
  while (last.type === 'qualified_identifier') {
    const outer = last.childForFieldName('scope');
    const inner = last.childForFieldName('name');
    if (outer) scope.push(outer.text);
    if (!inner) break;
    last = inner;
  }
  if (last.type === 'template_function') last = last.childForFieldName('name') ?? last;
  const body = node.childForFieldName('body');
  const trailing = declarator.namedChildren.find((c) => c?.type === 'trailing_return_type');
  const type = node.childForFieldName('type')?.text ?? '';
  return {
    name: last.text,
    qualifiedName: [...scope, last.text].join('::'),
    templateParameters: context.templateParameters,
    returnType: trailing ? trailing.text.replace(/^->\s*/, '') : type + pointers.join(''),
    isStatic: node.namedChildren.some((c) => c?.type === 'storage_class_specifier' && c.text === 'static'),
    linkage: context.linkage,
    nameStart: last.startIndex,
    nameEnd: last.endIndex,
    parametersStart: parameters.startIndex,
    start: context.start ?? node.startIndex,
    end: node.endIndex,
    ...(body ? { bodyStart: body.startIndex } : {}),
  };
}

function readTemplateParameters(list: Node): TemplateParameter[] {
  return list.namedChildren.flatMap((node): TemplateParameter[] => {
    if (!node || node.type === 'comment') return [];
    const text = node.text.replace(/\s+/g, ' ').trim();
    const fallback = node.childForFieldName('default_value') ?? node.childForFieldName('default_type');
    const isType =
      /type_parameter_declaration$/.test(node.type) && node.type !== 'template_template_parameter_declaration';
    const declarator = node.childForFieldName('declarator') ?? node.childForFieldName('name');
    const name = /[\p{L}_$][\p{L}\p{N}_$]*$/u.exec((declarator?.text ?? text.split('=')[0] ?? '').trim())?.[0];
    const isKeyword = name === 'typename' || name === 'class';
    const parameter: TemplateParameter = {
      kind: node.type === 'template_template_parameter_declaration' ? 'template' : isType ? 'type' : 'value',
      name: isKeyword ? '' : (name ?? ''),
      text,
    };
    const type = node.childForFieldName('type');
    if (parameter.kind === 'value' && type) parameter.type = type.text.replace(/\s+/g, ' ');
    if (fallback) parameter.default = fallback.text;
    return [parameter];
  });
}

const TYPE_WORDS = new Set(
  'void bool char short int long signed unsigned float double auto wchar_t const volatile struct class enum typename constexpr'.split(
    ' ',
  ),
);
const QUALIFIERS = /^(const|volatile|struct|class|enum|typename|__restrict__|__restrict|restrict|__grid_constant__)$/;

/** Parameters between the parentheses of a function header. @param open index of `(` */
export function readParameters(
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  open: number,
): Parameter[] {
  const close = partners.get(open);
  if (close === undefined) return [];
  const list = splitArguments(tokens, partners, open + 1, close);
  if (list.length === 1 && list[0] && joined(tokens, list[0]) === 'void') return [];
  return list.map((range) => readParameter(tokens, partners, range));
}

function readParameter(
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  range: { from: number; to: number },
): Parameter {
  let equals = range.to;
  for (let i = range.from; i < range.to; i++) {
    const partner = partners.get(i);
    if (partner !== undefined && partner > i) i = partner;
    else if (tokens[i]?.text === '=') {
      equals = i;
      break;
    }
  }
  const name = parameterName(tokens, partners, range.from, equals);
  const before = joined(tokens, { from: range.from, to: name ?? equals });
  const after = name === undefined ? '' : joined(tokens, { from: name + 1, to: equals });
  const parameter: Parameter = {
    name: name === undefined ? '' : (tokens[name]?.text ?? ''),
    type: (before + after).trim(),
  };
  if (equals < range.to) parameter.default = joined(tokens, { from: equals + 1, to: range.to });
  return parameter;
}

/** Index of the token that names a parameter; undefined for unnamed ones. */
function parameterName(
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  from: number,
  to: number,
): number | undefined {
  let last = to - 1;
  while (last > from && (tokens[last]?.text === ']' || tokens[last]?.text === ')')) {
    const open = partners.get(last);
    if (open === undefined) return undefined;
    // `float (*f)(int)`: the name stands in the first of the two parentheses.
    if (tokens[last]?.text === ')' && tokens[open - 1]?.text !== ')') {
      const inner = tokens[last - 1];
      return inner?.kind === 'name' && tokens[last - 2]?.text !== '::' ? last - 1 : undefined;
    }
    last = open - 1;
  }
  const token = tokens[last];
  if (token?.kind !== 'name' || TYPE_WORDS.has(token.text) || QUALIFIERS.test(token.text)) return undefined;
  if (tokens[last - 1]?.text === '::') return undefined;
  const hasType = tokens.slice(from, last).some((t) => t.kind === 'name' && !QUALIFIERS.test(t.text));
  return hasType ? last : undefined;
}
