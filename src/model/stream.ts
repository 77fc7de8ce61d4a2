// Puts a streamed answer of the Messages API together; a stream that ends before its end is told from a whole one.
import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import type { AnswerBlock, ModelAnswer } from './model.js';
import { fromWire, MALFORMED, ModelError } from './model.js';

type Block = Record<string, unknown> & { type: string };

/** Far beyond any answer: an endpoint that goes on and on is broken or hostile. */
const LONGEST_ANSWER = 2 ** 22;
const MOST_BLOCKS = 1000;

/** Takes the events of one answer. */
export class AnswerBuilder {
  private model = '';
  private stopReason = '';
  private readonly blocks = new Map<number, { block: Block; json: string }>();
  private length = 0;
  private readonly usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  private done = false;

  constructor(private readonly onText: ((text: string) => void) | undefined) {}

  /** @throws ModelError when the answer is longer than any can be */
  add(event: RawMessageStreamEvent): void {
    switch (event.type) {
      case 'message_start':
        this.model = event.message.model;
        this.count(event.message.usage);
        return;
      case 'content_block_start':
        this.blocks.set(event.index, { block: { ...event.content_block }, json: '' });
        this.grow(this.blocks.size > MOST_BLOCKS ? Infinity : 0);
        return;
      case 'content_block_delta':
        this.delta(this.blocks.get(event.index), event.delta);
        return;
      case 'message_delta':
        this.stopReason = event.delta.stop_reason ?? this.stopReason;
        this.count(event.usage);
        return;
      case 'message_stop':
        this.done = true;
        return;
      default:
        return;
    }
  }

  /** The answer; undefined when the stream ended before `message_stop`. */
  finish(): ModelAnswer | undefined {
    if (!this.done) return undefined;
    const content = [...this.blocks.values()].flatMap(({ block, json }): AnswerBlock[] => {
      // The endpoint itself refuses to get an empty text back.
      if (block.type === 'text' && block['text'] === '') return [];
      if (block.type !== 'tool_use') return fromWire([block]);
      const input = json === '' ? block['input'] : parseObject(json);
      return fromWire([{ ...block, input }]);
    });
    return { model: this.model, content, stopReason: this.stopReason, usage: this.usage };
  }

  private delta(
    target: { block: Block; json: string } | undefined,
    delta: Extract<RawMessageStreamEvent, { type: 'content_block_delta' }>['delta'],
  ): void {
    if (!target) return;
    switch (delta.type) {
      case 'text_delta':
        this.grow(delta.text.length);
        target.block['text'] = text(target.block['text']) + delta.text;
        this.onText?.(delta.text);
        return;
      case 'input_json_delta':
        this.grow(delta.partial_json.length);
        target.json += delta.partial_json;
        return;
      case 'thinking_delta':
        this.grow(delta.thinking.length);
        target.block['thinking'] = text(target.block['thinking']) + delta.thinking;
        return;
      case 'signature_delta':
        this.grow(delta.signature.length);
        target.block['signature'] = text(target.block['signature']) + delta.signature;
        return;
      default:
        return;
    }
  }

  private grow(by: number): void {
    this.length += by;
    if (this.length > LONGEST_ANSWER) throw new ModelError("the model's answer does not end; check its endpoint");
  }

  /** Counts in a stream are running totals, not increments. */
  private count(usage: UsageCounts | undefined): void {
    if (!usage) return;
    this.usage.inputTokens = usage.input_tokens ?? this.usage.inputTokens;
    this.usage.outputTokens = usage.output_tokens ?? this.usage.outputTokens;
    this.usage.cacheReadTokens = usage.cache_read_input_tokens ?? this.usage.cacheReadTokens;
    this.usage.cacheWriteTokens = usage.cache_creation_input_tokens ?? this.usage.cacheWriteTokens;
  }
}

interface UsageCounts {
  input_tokens?: number | null;
  output_tokens?: number | null;
  cache_read_input_tokens?: number | null;
  cache_creation_input_tokens?: number | null;
}

/** A tool's input; what is not a JSON object is handed on as text, so that the model can be told. */
function parseObject(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Told to the model below.
  }
  return { [MALFORMED]: json };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
