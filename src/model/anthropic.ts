// The Messages API through @anthropic-ai/sdk: streaming, tools, prompt caching, and retries that also cover a broken stream.
import type Anthropic from '@anthropic-ai/sdk';
import type { MessageCreateParamsStreaming, MessageParam } from '@anthropic-ai/sdk/resources/messages';
import type { CompleteOptions, Message, Model, ModelAnswer, ModelRequest } from './model.js';
import { DEFAULT_ENDPOINT, DEFAULT_MODEL, ModelError, toWire } from './model.js';
import { Passing, retry, retryAfter } from './retry.js';
import { AnswerBuilder } from './stream.js';

export interface AnthropicOptions {
  /** Sent to `baseUrl` and nowhere else. */
  key: string;
  /** Default: Anthropic's own. */
  baseUrl?: string;
  /** Default: DEFAULT_MODEL. */
  name?: string;
  /** Longest answer in tokens. */
  maxTokens?: number;
  attempts?: number;
  /** First back-off in milliseconds. */
  firstDelayMs?: number;
  /** A stream that is silent for this long is dropped and asked again, milliseconds. */
  silenceMs?: number;
}

/** HTTP statuses that may pass: timeout, conflict, too early, rate limit; and all of 5xx. */
const PASSING = new Set([408, 409, 425, 429]);
/** An endpoint that never answered is more likely a wrong address than an outage: this many attempts, some seconds. */
const ATTEMPTS_UNSEEN = 4;
/** What a connection fails with that will fail the same way again: addresses and certificates. */
const LASTING = /bad port|unknown scheme|^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/;
/** Error types inside a stream, where there is no status any more. */
const PASSING_TYPES = new Set(['overloaded_error', 'rate_limit_error', 'api_error', 'timeout_error']);

/**
 * A model behind an endpoint that speaks the Messages API.
 * @throws ModelError when `baseUrl` is not an http(s) URL
 */
export function anthropicModel(options: AnthropicOptions): Model {
  const base = endpointOf(options.baseUrl ?? DEFAULT_ENDPOINT);
  const name = options.name ?? DEFAULT_MODEL;
  let client: Promise<Anthropic> | undefined;
  const line = { answered: false };
  return {
    name,
    endpoint: base.host,
    complete(request, { signal, onText, onTrouble }) {
      // The SDK is large and a session without a key never needs it.
      client ??= connect(base.href, options.key);
      const params = parameters(request, name, options.maxTokens ?? 16_000);
      return retry(() => attempt(client, params, options, line, { signal, ...(onText && { onText }) }), {
        signal,
        attempts: options.attempts ?? 10,
        firstDelayMs: options.firstDelayMs ?? 1000,
        longestDelayMs: 60_000,
        ...(onTrouble && { onWait: onTrouble }),
      }).catch((error: unknown) => {
        if (error instanceof Passing) throw new ModelError(`the model at ${base.host}: ${error.message}`);
        throw error;
      });
    },
  };
}

function endpointOf(baseUrl: string): URL {
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    throw new ModelError(`"${baseUrl}" is not a URL; the model's base URL looks like ${DEFAULT_ENDPOINT}`);
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new ModelError(`the model's base URL must be https or http, not ${url.protocol}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ModelError("the model's base URL must not hold a password; the key goes in its own setting");
  }
  return url;
}

async function connect(baseURL: string, apiKey: string): Promise<Anthropic> {
  const { default: Sdk } = await import('@anthropic-ai/sdk');
  return new Sdk({
    apiKey,
    baseURL: baseURL.replace(/\/$/, ''),
    // Nothing from the environment: what the caller passed is all there is.
    authToken: null,
    // This SDK sends the key as a bearer token only; servers that speak the same API look for either header.
    defaultHeaders: { 'x-api-key': apiKey },
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
    // A redirect would carry the key to another host.
    fetchOptions: { redirect: 'error' },
  });
}

async function attempt(
  connecting: Promise<Anthropic> | undefined,
  params: MessageCreateParamsStreaming,
  options: AnthropicOptions,
  line: { answered: boolean },
  { signal, onText }: CompleteOptions,
): Promise<ModelAnswer> {
  const client = await connecting;
  if (!client) throw new ModelError('the model client was not made');
  const silence = new AbortController();
  const silenceMs = options.silenceMs ?? 300_000;
  const timer = setTimeout(() => silence.abort(), silenceMs);
  const builder = new AnswerBuilder(onText);
  try {
    const stream = await client.messages.create(params, { signal: AbortSignal.any([signal, silence.signal]) });
    line.answered = true;
    for await (const event of stream) {
      timer.refresh();
      builder.add(event);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (silence.signal.aborted) throw new Passing(`nothing came for ${silenceMs / 1000} s`);
    throw await classified(error, options.key, line);
  } finally {
    clearTimeout(timer);
  }
  signal.throwIfAborted();
  const answer = builder.finish();
  if (!answer) {
    throw new Passing(silence.signal.aborted ? `nothing came for ${silenceMs / 1000} s` : 'the stream broke off');
  }
  return answer;
}

/** Tells failures that may pass from those that will not; the key is cut out of whatever text comes back. */
async function classified(error: unknown, key: string, line: { answered: boolean }): Promise<Error> {
  if (error instanceof ModelError) return error;
  const { APIError, APIConnectionError } = await import('@anthropic-ai/sdk');
  const plain = (text: string): string =>
    (key.length >= 8 ? text.replaceAll(key, '[key removed]') : text).slice(0, 500);
  if (error instanceof APIConnectionError) {
    const deep = error.cause instanceof Error ? deepest(error.cause) : error;
    const cause = deep.message;
    if (/redirect/i.test(cause)) {
      return new ModelError("the model's endpoint redirects elsewhere, which would hand the key on; set its final URL");
    }
    if (LASTING.test(cause) || ('code' in deep && LASTING.test(String(deep.code)))) {
      return new ModelError(`the model cannot be reached (${plain(cause)}); check its base URL`);
    }
    return new Passing(
      `the model cannot be reached (${plain(cause)})`,
      undefined,
      line.answered ? undefined : ATTEMPTS_UNSEEN,
    );
  }
  if (!(error instanceof APIError)) {
    // Anything else while reading: a reset connection, half a line of JSON.
    return new Passing(`the stream broke off (${plain(error instanceof Error ? error.message : String(error))})`);
  }
  line.answered = true;
  const said = plain(error.apiMessage ?? error.message);
  const status: unknown = error.status;
  if (typeof status !== 'number') {
    const passing = error.type !== null && PASSING_TYPES.has(error.type);
    return passing ? new Passing(`the model reported ${error.type}: ${said}`) : new ModelError(said);
  }
  if (PASSING.has(status) || status >= 500) {
    const wait = error.headers instanceof Headers ? retryAfter(error.headers, Date.now()) : undefined;
    return new Passing(status === 429 ? `rate limit (${said})` : `the model answered ${status} (${said})`, wait);
  }
  return new ModelError(`the model's endpoint answered ${status}: ${said}${REMEDIES[status] ?? ''}`);
}

const REMEDIES: Record<number, string> = {
  401: '; check the key, and that it belongs to this endpoint',
  403: '; the key may not use this model',
  404: '; check the base URL and the name of the model',
  413: '; the sources are too large for one request',
};

function deepest(error: Error): Error {
  return error.cause instanceof Error ? deepest(error.cause) : error;
}

const CACHED = { cache_control: { type: 'ephemeral' as const } };

/** Cached prefixes: the tools, the system prompt, and the conversation up to its latest turn. */
function parameters(request: ModelRequest, model: string, maxTokens: number): MessageCreateParamsStreaming {
  const lastTool = request.tools.length - 1;
  const lastMessage = request.messages.length - 1;
  return {
    model,
    max_tokens: maxTokens,
    stream: true,
    system: [{ type: 'text', text: request.system, ...CACHED }],
    tools: request.tools.map(({ name, description, schema }, i) => ({
      name,
      description,
      input_schema: schema,
      ...(i === lastTool && CACHED),
    })),
    messages: request.messages.map((message, i) => messageParam(message, i === lastMessage)),
  };
}

function messageParam(message: Message, cached: boolean): MessageParam {
  if (message.role === 'assistant') {
    // Blocks we do not know came from the endpoint itself and go back to it as they are.
    return { role: 'assistant', content: toWire(message.content) as unknown as MessageParam['content'] };
  }
  const last = message.content.length - 1;
  return {
    role: 'user',
    content: message.content.map((block, i) => ({ ...block, ...(cached && i === last && CACHED) })),
  };
}
