// The agent's tools: their descriptions, their input checked, what each does.
import { z } from 'zod';
import type { ToolDefinition } from '../../model/model.js';
import type { Verdict } from '../../../remote-runner/protocol.js';
import { MALFORMED } from '../../model/model.js';
import type { Questioner } from '../asking/questioner.js';
import { NOT_ENDED } from '../asking/questioner.js';
import type { SessionRecord } from '../record.js';
import type { StrategyContext } from '../strategy.js';
import type { Brief } from './brief.js';
import { floorsOf, floorText } from './claim.js';
import { MOST_CHARACTERS, profileResult } from './profile-result.js';
import { verdictText } from './verdict-text.js';
import type { WorkingCopy } from './working-copy.js';
import { ToolError } from './working-copy.js';

/** Models write numbers as text now and then. */
const line = z.preprocess(
  (value) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value),
  z.number().int().min(1),
);
const inputs = {
  view: z.object({
    path: z.string().describe('One of the files of the task'),
    from: line.optional().describe('First line, 1-based'),
    to: line.optional().describe('Last line, included'),
  }),
  edit: z.object({
    path: z.string().describe('One of the sources'),
    old: z.string().describe('Text to replace, exactly as it stands in the file; must occur exactly once'),
    new: z.string().describe('Text to put there'),
  }),
  restore: z.object({ to: z.string().describe('"original", or the id of a candidate such as "c3"') }),
  evaluate: z.object({ note: z.string().describe('What this version changes, in a few words') }),
  profile: z.object({
    scenario: z.string().optional().describe('One of the scenarios; the one with the most work where absent'),
    kernel: z.string().optional().describe('Name of one kernel; every kernel of the call where absent'),
  }),
  ask: z.object({
    question: line.describe('Number of the question that you answer'),
    why: z.string().optional().describe('Why this one, where there were several'),
    answer: z.string().describe('Your answer'),
  }),
  claim_limit: z.object({
    claim: z.string().describe('The bound that you hold to be reached, in one sentence'),
    evidence: z.string().describe('What measurements say so'),
  }),
  finish: z.object({ reason: z.string().describe('Why there is nothing more to try, in one sentence') }),
} as const;
type ToolName = keyof typeof inputs;

const DESCRIPTIONS: Record<ToolName, string> = {
  view: 'Shows a file, or some of its lines, with line numbers.',
  edit: 'Replaces one piece of text in a source of the working copy.',
  restore: 'Sets all sources of the working copy back to what the original or a judged candidate holds.',
  evaluate: 'Judges the working copy: compiles, checks and times it. Returns the verdict.',
  profile: 'Says where the time of the working copy goes. Costs no evaluation.',
  ask: 'Answers a question that was put to you; while one is open, edit, restore, evaluate, claim_limit and finish wait.',
  claim_limit:
    'States that a bound is reached. Returns the least time that the work can take on this device, where that is known.',
  finish: 'Ends the session. The best confirmed candidate is kept.',
};

const NAMES = Object.keys(inputs) as ToolName[];

export type AgentKind = 'ask' | 'equipped';

/** What is asked of whom questions are asked, and what only the equipped agent has. */
const ONLY: Partial<Record<ToolName, AgentKind>> = { ask: 'ask', claim_limit: 'ask', profile: 'equipped' };

const namesFor = (kind: AgentKind): ToolName[] => NAMES.filter((name) => (ONLY[name] ?? kind) === kind);

export function toolsFor(kind: AgentKind): ToolDefinition[] {
  return namesFor(kind).map((name) => {
    const { properties = {}, required = [] } = z.toJSONSchema(inputs[name]);
    return { name, description: DESCRIPTIONS[name], schema: { type: 'object', properties, required } };
  });
}

export interface ToolOutcome {
  result: string;
  isError: boolean;
  /** The agent's reason, when it called finish. */
  finish?: string;
  /** What a job took that the tool had run, milliseconds by phase. */
  phases?: Record<string, number>;
}

export interface Desk {
  kind: AgentKind;
  copy: WorkingCopy;
  context: StrategyContext;
  record: SessionRecord;
  /** Absent where nobody asks questions. */
  questioner?: Questioner;
  brief: Brief;
  /** The verdicts that the agent has read, by candidate. */
  told: Map<string, Verdict>;
  /** The candidate that the working copy last was; the next one's parent. */
  last: string | undefined;
}

const MAX_NOTE = 200;

/**
 * Runs one tool call. What the agent did wrong comes back as an error result for it to read.
 * @throws what `evaluate` of the context throws: budget spent, abort, no way to the runner
 */
export async function runTool(desk: Desk, name: string, input: Record<string, unknown>): Promise<ToolOutcome> {
  try {
    if (!namesFor(desk.kind).some((known) => known === name)) {
      throw new ToolError(`there is no tool "${name}"; there are: ${namesFor(desk.kind).join(', ')}`);
    }
    if (name !== 'ask' && name !== 'view' && desk.questioner?.mustAnswer() === true) {
      throw new ToolError('a question is open: call ask first');
    }
    switch (name) {
      case 'view': {
        const { path, from, to } = checked('view', input);
        return { result: desk.copy.view(path, from, to), isError: false };
      }
      case 'edit': {
        const edit = checked('edit', input);
        const { path, line: at } = desk.copy.edit(edit.path, edit.old, edit.new);
        return { result: `edited ${path} at line ${at}`, isError: false };
      }
      case 'restore':
        return { result: restore(desk, checked('restore', input).to), isError: false };
      case 'evaluate':
        return await evaluate(desk, checked('evaluate', input).note);
      case 'profile': {
        const { scenario, kernel } = checked('profile', input);
        return await profileCopy(desk, scenario, kernel);
      }
      case 'ask': {
        const { question, why, answer } = checked('ask', input);
        const wrong = desk.questioner
          ? await desk.questioner.answer(question, why, answer)
          : 'no question is open; go on with your work';
        if (wrong !== undefined) throw new ToolError(wrong);
        return { result: 'go on', isError: false };
      }
      case 'claim_limit':
        return { result: await claimLimit(desk, checked('claim_limit', input)), isError: false };
      case 'finish': {
        if (desk.questioner?.refusesToStop() === true) throw new ToolError(`${NOT_ENDED}: first a question`);
        const finish = checked('finish', input).reason;
        return { result: 'finished', isError: false, finish };
      }
      default:
        throw new ToolError(`there is no tool "${name}"`);
    }
  } catch (error) {
    if (error instanceof ToolError) return { result: error.message, isError: true };
    throw error;
  }
}

function restore(desk: Desk, to: string): string {
  const { original, judged } = desk.context;
  const known = judged.find((j) => j.candidate === to);
  if (to !== 'original' && !known) {
    throw new ToolError(
      `there is no "${to}"; there are: ${['original', ...judged.map((j) => j.candidate)].join(', ')}`,
    );
  }
  desk.copy.restore(known?.proposal.sources ?? original);
  desk.last = known?.candidate;
  return `the working copy is ${known ? `candidate ${known.candidate}` : 'the original'} again`;
}

async function claimLimit(
  { record, context }: Desk,
  { claim, evidence }: { claim: string; evidence: string },
): Promise<string> {
  const floorMs = floorsOf(context);
  const id = `l${record.state.claims.length + 1}`;
  await record.append({ type: 'claim', id, text: claim, evidence, ...(floorMs && { floorMs }) });
  return floorText(context, floorMs);
}

async function evaluate(desk: Desk, note: string): Promise<ToolOutcome> {
  const { context, told } = desk;
  const judged = await context.evaluate({
    sources: desk.copy.current(),
    ...(desk.last !== undefined && { parent: desk.last }),
    author: 'agent',
    note: note.replace(/\s+/g, ' ').trim().slice(0, MAX_NOTE),
  });
  desk.last = judged.candidate;
  const { candidate, verdict } = judged;
  const again = told.get(candidate) === verdict;
  told.set(candidate, verdict);
  return { result: verdictText(judged, context, desk.brief, again), isError: false };
}

async function profileCopy(
  { copy, context, brief }: Desk,
  scenario: string | undefined,
  kernel: string | undefined,
): Promise<ToolOutcome> {
  if (scenario !== undefined && !brief.shown.has(scenario)) {
    throw new ToolError(`there is no scenario "${scenario}"; there are: ${[...brief.shown.keys()].join('; ')}`);
  }
  const sources = copy.current();
  const profile = await context.profile(sources, scenario, kernel);
  if (typeof profile === 'string') {
    throw new ToolError(`the runner could not profile: ${brief.quote(profile.slice(0, MOST_CHARACTERS))}`);
  }
  return { result: profileResult(profile, sources, brief.quote), isError: false, phases: profile.phases };
}

function checked<T extends ToolName>(name: T, input: Record<string, unknown>): z.output<(typeof inputs)[T]> {
  const expected = `${name} expects a JSON object with ${fields(name)}`;
  if (MALFORMED in input) throw new ToolError(`the input was not a JSON object; ${expected}`);
  const parsed = inputs[name].safeParse(input);
  if (!parsed.success) {
    const issues = parsed.error.issues.map((i) => `${i.path.join('.') || 'input'}: ${i.message}`).join('; ');
    throw new ToolError(`${issues}. ${expected}`);
  }
  // The schema was picked by the same name; TypeScript cannot follow that through the union.
  return parsed.data as z.output<(typeof inputs)[T]>;
}

function fields(name: ToolName): string {
  const { properties = {}, required = [] } = z.toJSONSchema(inputs[name]);
  return Object.entries(properties)
    .map(([key, schema]) => {
      const type = typeof schema === 'object' && 'type' in schema ? String(schema.type) : 'value';
      return `"${key}" (${type}${required.includes(key) ? '' : ', optional'})`;
    })
    .join(', ');
}
