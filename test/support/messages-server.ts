// A server that speaks the Messages API over HTTP with server-sent events; what it answers is decided by a script.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const block = z.looseObject({ type: z.string() });
const messagesRequest = z.looseObject({
  model: z.string(),
  max_tokens: z.number(),
  stream: z.boolean().optional(),
  system: z.union([z.string(), z.array(block)]).optional(),
  tools: z.array(z.looseObject({ name: z.string(), input_schema: z.unknown() })).optional(),
  messages: z
    .array(z.object({ role: z.enum(['user', 'assistant']), content: z.union([z.string(), z.array(block)]) }))
    .min(1),
});
export type MessagesRequest = z.infer<typeof messagesRequest>;

export type ReplyBlock =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id?: string; name: string; input: Record<string, unknown> }
  /** A tool call whose input is this text instead of JSON. */
  | { type: 'tool_use'; id?: string; name: string; json: string }
  | { type: 'thinking'; thinking: string; signature: string };

export type Reply =
  /** `inputTokens` as the endpoint counts them, not counting what its cache holds; 100 by default. */
  | { blocks: ReplyBlock[]; stopReason?: string; inputTokens?: number }
  | { fault: 'status'; status: number; headers?: Record<string, string>; type?: string; message?: string }
  /** Half of these blocks, then the connection is cut. */
  | { fault: 'drop'; blocks: ReplyBlock[] }
  /** An error event in the middle of the stream. */
  | { fault: 'error-event'; type: string; message: string }
  | { fault: 'hang' };

export type Script = (request: MessagesRequest, count: number) => Reply | Promise<Reply>;

export interface MessagesServer {
  url: string;
  /** Every request whose key was right, in order. */
  requests: MessagesRequest[];
  close(): Promise<void>;
}

/** Listens on 127.0.0.1; a request without `key` in its x-api-key header gets 401 as from the real endpoint. */
export async function messagesServer(key: string, script: Script): Promise<MessagesServer> {
  const requests: MessagesRequest[] = [];
  const server = createServer((request, response) => {
    answer(request, response, key, requests, script).catch((error: unknown) => {
      // A script that throws is a failing test: say it where the test will see it.
      fail(response, 500, 'api_error', `script: ${String(error)}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  key: string,
  requests: MessagesRequest[],
  script: Script,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
  if (request.method !== 'POST' || request.url?.split('?')[0] !== '/v1/messages') {
    return fail(response, 404, 'not_found_error', 'no such path');
  }
  if (request.headers['x-api-key'] !== key) return fail(response, 401, 'authentication_error', 'invalid x-api-key');
  if (request.headers['anthropic-version'] === undefined) {
    return fail(response, 400, 'invalid_request_error', 'anthropic-version: header is required');
  }
  const parsed = messagesRequest.safeParse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
  if (!parsed.success) return fail(response, 400, 'invalid_request_error', z.prettifyError(parsed.error));
  const unanswered = unansweredCall(parsed.data);
  if (unanswered !== undefined) return fail(response, 400, 'invalid_request_error', unanswered);
  requests.push(parsed.data);
  const reply = await script(parsed.data, requests.length);
  const number = requests.length;
  if ('fault' in reply && reply.fault === 'hang') return;
  if ('fault' in reply && reply.fault === 'status') {
    return fail(response, reply.status, reply.type ?? 'api_error', reply.message ?? 'as scripted', reply.headers);
  }
  if (parsed.data.stream !== true) {
    if ('fault' in reply) return void response.socket?.destroy();
    response.writeHead(200, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify(wholeMessage(parsed.data, reply, number)));
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (event: { type: string } & Record<string, unknown>): void => {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  const tokens = 'blocks' in reply && 'inputTokens' in reply ? reply.inputTokens : undefined;
  send({
    type: 'message_start',
    message: { ...envelope(parsed.data, number, tokens), content: [], stop_reason: null },
  });
  if ('fault' in reply && reply.fault === 'error-event') {
    send({ type: 'error', error: { type: reply.type, message: reply.message } });
    return void response.end();
  }
  const events = reply.blocks.flatMap((b, index) => blockEvents(b, index, number));
  if ('fault' in reply) {
    for (const event of events.slice(0, Math.ceil(events.length / 2))) send(event);
    // Let what was written leave before the cut.
    return void setImmediate(() => response.socket?.destroy());
  }
  for (const event of events) send(event);
  const stop_reason = reply.stopReason ?? stopReasonOf(reply.blocks);
  send({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 20 } });
  send({ type: 'message_stop' });
  response.end();
}

/** As the real endpoint: every tool_use must be answered by a tool_result in the next message, and roles alternate. */
function unansweredCall(request: MessagesRequest): string | undefined {
  const { messages } = request;
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  for (const [i, message] of messages.entries()) {
    if (message.content.length === 0) return `messages.${i}: content must be non-empty`;
    if (i > 0 && messages[i - 1]?.role === message.role) return `messages.${i}: roles must alternate`;
    if (typeof message.content === 'string') continue;
    if (message.content.some((b) => b.type === 'text' && b['text'] === '')) {
      return `messages.${i}: text content blocks must be non-empty`;
    }
    const next = messages[i + 1]?.content ?? [];
    const results = new Set(typeof next === 'string' ? [] : next.map((b) => b['tool_use_id']));
    const missing = message.content.find((b) => b.type === 'tool_use' && !results.has(b['id']));
    if (missing) return `messages.${i}: tool_use ids were found without tool_result blocks: ${String(missing['id'])}`;
  }
  return undefined;
}

function fail(
  response: ServerResponse,
  status: number,
  type: string,
  message: string,
  headers: Record<string, string> = {},
): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ type: 'error', error: { type, message } }));
}

function envelope(request: MessagesRequest, number: number, tokens = 100): Record<string, unknown> {
  return {
    id: `msg_${number}`,
    type: 'message',
    role: 'assistant',
    model: request.model,
    stop_sequence: null,
    usage: { input_tokens: tokens, output_tokens: 1, cache_read_input_tokens: 10, cache_creation_input_tokens: 5 },
  };
}

function wholeMessage(request: MessagesRequest, reply: { blocks: ReplyBlock[]; stopReason?: string }, number: number) {
  const content = reply.blocks.map((b, i) => {
    if (b.type !== 'tool_use') return b;
    const input = 'json' in b ? JSON.parse(b.json) : b.input;
    return { type: 'tool_use', id: b.id ?? `toolu_${number}_${i}`, name: b.name, input: input as unknown };
  });
  return { ...envelope(request, number), content, stop_reason: reply.stopReason ?? stopReasonOf(reply.blocks) };
}

function stopReasonOf(blocks: ReplyBlock[]): string {
  return blocks.some((b) => b.type === 'tool_use') ? 'tool_use' : 'end_turn';
}

function blockEvents(b: ReplyBlock, index: number, number: number): ({ type: string } & Record<string, unknown>)[] {
  const start = (content_block: unknown) => ({ type: 'content_block_start', index, content_block });
  const delta = (d: unknown) => ({ type: 'content_block_delta', index, delta: d });
  const stop = { type: 'content_block_stop', index };
  switch (b.type) {
    case 'text':
      return [
        start({ type: 'text', text: '' }),
        ...halves(b.text).map((text) => delta({ type: 'text_delta', text })),
        stop,
      ];
    case 'thinking':
      return [
        start({ type: 'thinking', thinking: '', signature: '' }),
        ...halves(b.thinking).map((thinking) => delta({ type: 'thinking_delta', thinking })),
        delta({ type: 'signature_delta', signature: b.signature }),
        stop,
      ];
    case 'tool_use': {
      const json = 'json' in b ? b.json : JSON.stringify(b.input);
      return [
        start({ type: 'tool_use', id: b.id ?? `toolu_${number}_${index}`, name: b.name, input: {} }),
        ...halves(json).map((partial_json) => delta({ type: 'input_json_delta', partial_json })),
        stop,
      ];
    }
  }
}

function halves(text: string): string[] {
  const middle = text.length >> 1;
  return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== '');
}

/** Text of the tool results in the latest message, newest last: what a script reacts to. */
export function latestResults(request: MessagesRequest): string[] {
  const last = request.messages.at(-1)?.content ?? [];
  if (typeof last === 'string') return [];
  return last.filter((b) => b.type === 'tool_result').map((b) => String(b['content']));
}
