// Records a story: the session process as it ships, a runner of its own on the CPU target, and the Messages server as the agent.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parse } from 'jsonc-parser';
import { SessionClient } from '../../src/session/client.js';
import { FILES } from '../../src/session/place.js';
import type { MessagesRequest, Reply, ReplyBlock } from '../support/messages-server.js';
import { latestResults, messagesServer } from '../support/messages-server.js';
import type { Step, Story } from './stories.js';

const KEY = 'sk-recorded';

/** @returns the text of the session's trace */
export async function recordStory(story: Story, root: string): Promise<string> {
  const workspace = await mkdtemp(path.join(os.tmpdir(), 'ks-moments-'));
  const examples = path.join(root, 'examples');
  const source = `${story.example}.cu`;
  const task = parse(await readFile(path.join(examples, `${story.example}.task.json`), 'utf8')) as object;
  await writeFile(path.join(workspace, source), await readFile(path.join(examples, source)));
  const taskFile = path.join(workspace, `${story.example}.task.json`);
  await writeFile(taskFile, JSON.stringify({ ...task, scenarios: story.scenarios }));
  const client = new SessionClient({ bundle: path.join(root, 'dist/session.js') });
  const agent = new Agent(story.steps, source, (text) => client.pose(text));
  const server = await messagesServer(KEY, (request) => agent.reply(request));
  try {
    const place = await client.start({
      task: taskFile,
      target: 'cpu',
      runner: {},
      ask: 'agent',
      model: { key: KEY, baseUrl: server.url, name: 'scripted' },
      budget: { evaluations: story.evaluations, minutes: 30 },
      seed: 1,
    });
    const exit = await client.exited;
    if (exit.code !== 0) throw new Error(exit.message);
    return await readFile(path.join(place.folder, FILES.trace), 'utf8');
  } finally {
    await client.kill();
    await server.close();
    await rm(workspace, { recursive: true, force: true });
  }
}

type Call = { name: string; input: Record<string, unknown> };

/** Goes through its steps, and answers every question that is put to it. */
class Agent {
  private readonly calls: (Call | { pose: string })[];
  private last: Call | undefined;

  constructor(
    steps: readonly Step[],
    private readonly source: string,
    private readonly pose: (text: string) => Promise<void>,
  ) {
    this.calls = steps.flatMap((step) => this.callsOf(step));
  }

  async reply(request: MessagesRequest): Promise<Reply> {
    const result = latestResults(request).at(-1) ?? '';
    const refused = result.startsWith('a question is open') || result.startsWith('not ended yet');
    if (refused && this.last) this.calls.unshift(this.last);
    if (asksSomething(request)) {
      // Answered now; what was refused for it is done after that.
      this.last = undefined;
      return say({ name: 'ask', input: { question: 1, answer: 'That is seen to next.' } });
    }
    let next = this.calls.shift();
    if (next && 'pose' in next) {
      await this.pose(next.pose);
      next = this.calls.shift();
    }
    if (!next || 'pose' in next) throw new Error(`nothing left to do after: ${result}`);
    this.last = next;
    return say(next);
  }

  private callsOf(step: Step): (Call | { pose: string })[] {
    const path = this.source;
    switch (step.do) {
      case 'edit':
        return [
          ...step.replace.map(([old, by]) => ({ name: 'edit', input: { path, old, new: by } })),
          { name: 'evaluate', input: { note: step.note } },
        ];
      case 'restore':
        return [{ name: 'restore', input: { to: step.to } }];
      case 'look':
        return Array.from({ length: step.times }, (_, i) => ({
          name: 'view',
          input: { path, from: 1 + (i % 5), to: 6 },
        }));
      case 'claim':
        return [{ name: 'claim_limit', input: { claim: step.claim, evidence: step.evidence } }];
      case 'pose':
        return [{ pose: step.text }];
      case 'finish':
        return [{ name: 'finish', input: { reason: 'The script ends here.' } }];
    }
  }
}

/** A question was put in the latest message: its text follows the results of the tools. */
function asksSomething({ messages }: MessagesRequest): boolean {
  const last = messages.at(-1)?.content ?? [];
  const texts = typeof last === 'string' ? [last] : last.filter((b) => b.type === 'text').map((b) => String(b['text']));
  return texts.some((text) => text.includes('Call ask with'));
}

function say({ name, input }: Call): Reply {
  const blocks: ReplyBlock[] = [{ type: 'tool_use', name, input }];
  return { blocks };
}
