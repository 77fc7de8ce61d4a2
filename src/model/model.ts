// The language model behind one interface: what a session asks of it, whatever endpoint or editor answers.

/** Used when neither a flag, a setting nor KERNELSEEK_MODEL names one. */
export const DEFAULT_MODEL = 'claude-sonnet-5-5';
export const DEFAULT_ENDPOINT = 'https://api.anthropic.com';

export interface TextBlock {
  type: 'text';
  text: string;
}
export interface ToolUseBlock {
  type: 'tool_use';
  id: string;
  name: string;
  /** What the model sent; `{ [MALFORMED]: text }` when that was not a JSON object. */
  input: Record<string, unknown>;
}
export interface ToolResultBlock {
  type: 'tool_result';
  tool_use_id: string;
  content: string;
  is_error: boolean;
}
/** Anything else the endpoint answered (thinking, say): kept and sent back as it is. */
export interface OpaqueBlock {
  type: 'opaque';
  block: Record<string, unknown>;
}
export type AnswerBlock = TextBlock | ToolUseBlock | OpaqueBlock;

export type Message =
  { role: 'user'; content: (TextBlock | ToolResultBlock)[] } | { role: 'assistant'; content: AnswerBlock[] };

export interface ToolDefinition {
  name: string;
  description: string;
  /** JSON Schema of its input, an object. */
  schema: { type: 'object'; properties: Record<string, unknown>; required: string[] };
}

export interface ModelRequest {
  system: string;
  tools: ToolDefinition[];
  messages: Message[];
}

/** Tokens, as the endpoint reports them. */
export interface ModelUsage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
}

export interface ModelAnswer {
  /** The name the endpoint gives itself. */
  model: string;
  content: AnswerBlock[];
  /** `end_turn`, `tool_use`, `max_tokens`, `refusal`, … */
  stopReason: string;
  usage: ModelUsage;
}

export interface CompleteOptions {
  signal: AbortSignal;
  /** Text as it arrives; a retried answer starts again. */
  onText?: (text: string) => void;
  /** Told before each wait: what happened and how long we wait, in one sentence. */
  onTrouble?: (message: string) => void | Promise<void>;
}

export interface Model {
  readonly name: string;
  /** Host of the endpoint, for the trace. */
  readonly endpoint: string;
  /**
   * One answer, retried where that can help.
   * @throws ModelError when it cannot; the signal's reason on abort
   */
  complete(request: ModelRequest, options: CompleteOptions): Promise<ModelAnswer>;
}

/** The endpoint refused, or did not answer after all retries. The text never holds the key. */
export class ModelError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ModelError';
  }
}

/** Key of a tool input that was not a JSON object. */
export const MALFORMED = 'malformed_json';

/** A model's answer as the trace keeps it: content blocks of the Messages API. */
export function toWire(content: readonly AnswerBlock[]): Record<string, unknown>[] {
  return content.map((block) => (block.type === 'opaque' ? block.block : { ...block }));
}

/** The reverse of `toWire`; what cannot be read (a trace of a later version) is kept as it is. */
export function fromWire(content: readonly unknown[]): AnswerBlock[] {
  return content.filter(isRecord).map((block): AnswerBlock => {
    if (block['type'] === 'text' && typeof block['text'] === 'string') return { type: 'text', text: block['text'] };
    const { id, name, input } = block;
    if (block['type'] === 'tool_use' && typeof id === 'string' && typeof name === 'string') {
      return { type: 'tool_use', id, name, input: isRecord(input) ? input : { [MALFORMED]: JSON.stringify(input) } };
    }
    return { type: 'opaque', block };
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
