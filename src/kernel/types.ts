// What the reader finds in a .cu file. Positions are 0-based, columns and indices in UTF-16 code units, BOM not counted
// in columns, so that they can be handed to an editor as they are.

export interface Position {
  line: number;
  column: number;
}

export interface Range {
  start: Position;
  end: Position;
  /** Offsets into the text that was read, in UTF-16 code units; a BOM counts here, since it is part of the text. */
  startIndex: number;
  endIndex: number;
}

/** A piece of source text and where it stands. */
export interface Piece {
  text: string;
  range: Range;
}

export interface Parameter {
  name: string;
  /** Type as written, without the name; white space collapsed. */
  type: string;
  default?: string;
}

export interface TemplateParameter {
  kind: 'type' | 'value' | 'template';
  name: string;
  /** As written: `int K`, `typename T = float`. */
  text: string;
  /** For values: the type as written. */
  type?: string;
  default?: string;
}

export interface Kernel {
  name: string;
  /** With namespaces: `outer::inner::scale`, `(anonymous)::scale`. */
  qualifiedName: string;
  /** Tells overloads apart: `scale(float*,float,int)`, `outer::inner::scale<T,M,N>(T*,int)`. */
  signature: string;
  templateParameters: TemplateParameter[];
  parameters: Parameter[];
  /** Arguments of __launch_bounds__ as written. */
  bounds: string[];
  nameRange: Range;
  range: Range;
}

export interface Launch {
  /** The callee without template arguments, as written: `axpy`, `outer::inner::scale`. */
  kernel: string;
  /** As written between the angle brackets: `(4 > 3), float`. */
  templateArguments?: string;
  grid: Piece;
  block: Piece;
  shared?: Piece;
  stream?: Piece;
  arguments: Piece[];
  /** Callee, configuration and argument list. */
  range: Range;
  calleeRange: Range;
  /** From `<<<` to `>>>` inclusive. */
  configRange: Range;
  /** Qualified name of the enclosing function, if any. */
  inFunction?: string;
}

export interface HostFunction {
  name: string;
  qualifiedName: string;
  signature: string;
  templateParameters: TemplateParameter[];
  parameters: Parameter[];
  returnType: string;
  linkage: 'C' | 'C++';
  isStatic: boolean;
  /** Indices into KernelFile.launches of launches in its body. */
  launches: number[];
  /** Names (unqualified) of functions its body calls. */
  calls: string[];
  nameRange: Range;
  range: Range;
}

export interface IntegerConstant {
  name: string;
  kind: 'define' | 'constexpr' | 'const' | 'enum';
  value: number;
  /** The literal alone: replacing exactly this changes the constant and nothing else. */
  literal: Piece;
}

export interface Include {
  path: string;
  quoted: boolean;
  range: Range;
}

/** A place the reader could not understand, said in words an engineer can act on. */
export interface Unread {
  range: Range;
  reason: string;
}

export interface KernelFile {
  kernels: Kernel[];
  launches: Launch[];
  hostFunctions: HostFunction[];
  constants: IntegerConstant[];
  includes: Include[];
  unread: Unread[];
}
