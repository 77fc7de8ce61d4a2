// Decision moments on their way through a session: opened, put to a person or to the agent, answered. At most one is open,
// and all of it is in the trace: a resumed session asks what was open again.
import type { Moment, MomentPlace, Question } from '../../questions/types.js';
import type { MomentState, SessionState } from '../fold.js';
import type { SessionRecord } from '../record.js';
import type { Asker, Choice, Reply } from './asker.js';
import { alternativesPrompt, answeredPrompt, putPrompt } from './prompts.js';
import type { QuestionSource } from './source.js';

export interface QuestionerOptions {
  record: SessionRecord;
  source: QuestionSource;
  asker: Asker;
  /** Version of the texts that the agent is given. */
  promptVersion: number;
  /** First line that a candidate changed. */
  placeOf?: (candidate: string) => MomentPlace | undefined;
  /** Begins cheap work while a question waits for a person. */
  spare: () => void;
}

/** Turns of the agent that a question outlives without an answer. */
const PATIENCE_TURNS = 4;
/** What the result of `finish` begins with when it is refused. */
export const NOT_ENDED = 'not ended yet';

/** The moment that waits for a question or for an answer. */
export function openMoment(state: Readonly<SessionState>): MomentState | undefined {
  return state.moments.find((m) => m.moment.asked && !m.answer);
}

/** A person answered, and the process ended before the agent was told. */
function answerUntold(state: Readonly<SessionState>): MomentState | undefined {
  return state.moments.find((m) => !m.told && m.answer?.outcome === 'answered');
}

/** The questions that the agent may answer now: the one that was put to it, or those it is to pick from. */
export function toAnswer(state: Readonly<SessionState>, source: QuestionSource): { known?: string; text: string }[] {
  const open = openMoment(state);
  if (!open?.told) return [];
  if (open.question) return [open.question];
  return known(source, open.offered).map(({ id, text }) => ({ known: id, text }));
}

export class Questioner {
  constructor(private readonly options: QuestionerOptions) {}

  private get state(): Readonly<SessionState> {
    return this.options.record.state;
  }

  /** Between two turns of the agent: puts what is due to whoever asks, and resolves once the agent may go on. */
  async atSafePoint(signal: AbortSignal): Promise<void> {
    const { asker, record } = this.options;
    await asker.running(signal, (paused) => record.append({ type: 'paused', paused }));
    const open = openMoment(this.state) ?? answerUntold(this.state);
    if (open) return this.goOn(open, signal);
    const posed = asker.posed();
    if (posed !== undefined) return this.pose(posed, signal);
    const moment = this.due();
    if (moment) await this.begin(moment, [], signal);
  }

  /**
   * The agent answers with `ask`.
   * @param number 1-based, as the prompt lists them
   * @returns what is wrong with the call, for the agent to read
   */
  async answer(number: number, why: string | undefined, text: string): Promise<string | undefined> {
    const { source, record } = this.options;
    const open = openMoment(this.state);
    const choices = toAnswer(this.state, source);
    if (!open || choices.length === 0) return 'no question is open; go on with your work';
    const chosen = choices[number - 1];
    if (!chosen) return `there is no question ${number}; there are 1 to ${choices.length}`;
    const question = open.question?.id ?? (await this.choose(open, { known: chosen.known }, 'agent'));
    const said = why === undefined || why.trim() === '' ? text : `${text}\n(chosen because: ${why})`;
    await record.append({
      type: 'answer',
      moment: open.moment.id,
      question,
      outcome: 'answered',
      by: 'agent',
      text: said,
      // The agent's own words tell it nothing it did not know.
      informed: open.question?.informed ?? false,
    });
    return undefined;
  }

  /** True while the agent has to answer before it acts. */
  mustAnswer(): boolean {
    return toAnswer(this.state, this.options.source).length > 0;
  }

  /** True when a wish to stop meets a question first. */
  refusesToStop(): boolean {
    const { source } = this.options;
    const moment = source.due(this.state, 'wish-to-stop');
    return moment !== undefined && source.offer(this.state, moment, this.number(), []).offered.length > 0;
  }

  /** Gives up a question that the agent passes over again and again. */
  async expireIgnored(): Promise<void> {
    const open = openMoment(this.state);
    if (!open?.told) return;
    const told = this.state.conversation.findLastIndex((e) => e.type === 'prompt' && e.moment === open.moment.id);
    const turns = this.state.conversation.slice(told).filter((e) => e.type === 'model').length;
    if (turns >= PATIENCE_TURNS) await this.close(open, 'expired', 'agent');
  }

  private due(): Moment | undefined {
    const { state } = this;
    const { source, placeOf } = this.options;
    const seen = state.moments.at(-1)?.moment.seq ?? 0;
    const last = state.conversation.findLast((e) => e.type === 'tool');
    const fresh = last && last.seq > seen ? last : undefined;
    if (fresh?.name === 'claim_limit' && !fresh.isError) return source.due(state, 'claim');
    if (fresh?.name === 'finish' && fresh.result.startsWith(NOT_ENDED)) return source.due(state, 'wish-to-stop');
    // Before the first turn the baseline is the news.
    return fresh?.name === 'evaluate' || !last ? source.due(state, 'verdict', placeOf) : undefined;
  }

  /** @param refused questions that a person wants no more: the moment opened before, and is not left in silence now */
  private async begin(moment: Moment, refused: readonly string[], signal: AbortSignal): Promise<void> {
    const { record, source } = this.options;
    const number = this.number();
    const { asked, offered } = source.offer(record.state, moment, number, refused);
    if (offered.length === 0) return;
    const ids = offered.map((q) => q.id);
    await record.append({
      type: 'moment',
      id: `m${number}`,
      ...moment,
      asked: asked || refused.length > 0,
      offered: ids,
    });
    const open = openMoment(this.state);
    if (open) await this.goOn(open, signal);
  }

  /** Of the next moment, from 1. */
  private number(): number {
    return this.state.moments.length + 1;
  }

  private async pose(text: string, signal: AbortSignal): Promise<void> {
    const id = `m${this.number()}`;
    const { record, source } = this.options;
    const moment = source.due(this.state, 'human') ?? { kind: 'human', evidence: 'You interrupted.' };
    await record.append({ type: 'moment', id, ...moment, asked: true, offered: [] });
    const open = openMoment(this.state);
    if (!open) return;
    await this.choose(open, { text }, 'human');
    await this.goOn(open, signal);
  }

  /** From where the trace left an open moment: to a person, to the agent, or on to the agent's answer. */
  private async goOn(open: MomentState, signal: AbortSignal): Promise<void> {
    if (open.answer) return this.tell(open);
    if (open.told) {
      // A person who interrupts takes the place of what the agent has not answered yet.
      const posed = this.options.asker.posed();
      if (posed === undefined) return;
      await this.close(open, 'expired', 'human');
      return this.pose(posed, signal);
    }
    // Of a question of the repertoire the trace does not say yet what the person wants with it: that is asked again.
    if (open.question && open.question.known === undefined) return this.tell(open);
    // A person's own question whose words were lost with the process that held them.
    if (open.moment.kind === 'human') return this.close(open, 'expired', 'human');
    await this.decide(open, signal);
  }

  private async decide(open: MomentState, signal: AbortSignal): Promise<void> {
    const { asker, source, record, spare } = this.options;
    const refused = new Set<string>();
    for (;;) {
      const { id: moment, kind, evidence, place } = open.moment;
      const choices = known(source, open.offered).map(choiceOf);
      const decision = asker.ask({ moment, kind, evidence, ...(place && { place }), choices }, signal);
      spare();
      const reply = await decision;
      if (reply.type !== 'another') return this.settle(open, reply, signal);
      for (const id of open.offered) refused.add(id);
      const number = Number(moment.slice(1));
      const others = source.offer(record.state, open.moment, number, [...refused]).offered.map((q) => q.id);
      if (others.length > 0) await record.append({ type: 'offered', moment, offered: others });
    }
  }

  private async settle(
    open: MomentState,
    reply: Exclude<Reply, { type: 'another' }> | { type: 'expired' },
    signal: AbortSignal,
  ): Promise<void> {
    switch (reply.type) {
      case 'agent':
        return this.tell(open);
      case 'put':
        await this.choose(open, { known: reply.known }, 'human');
        return this.tell(open);
      case 'own':
        await this.choose(open, { text: reply.text }, 'human');
        return this.tell(open);
      case 'answer': {
        const question = await this.choose(open, { known: reply.known }, 'human');
        await this.close(open, 'answered', 'human', { question, text: reply.text });
        return this.tell(open);
      }
      case 'never': {
        const question = await this.choose(open, { known: reply.known }, 'human');
        await this.close(open, 'never', 'human', { question });
        await this.options.source.mute(reply.known).catch(async (error: unknown) => {
          const reason = error instanceof Error ? error.message : String(error);
          await this.options.record.trouble('session', `"${reply.known}" is muted for this session only: ${reason}`);
        });
        // It is still a moment for a question: it opens again with what else there is.
        const { kind, evidence, candidate, place } = open.moment;
        const again = { kind, evidence, ...(candidate !== undefined && { candidate }), ...(place && { place }) };
        return this.begin(again, open.offered, signal);
      }
      case 'pass':
        return this.close(open, 'passed', 'human');
      case 'wrong-moment':
        return this.close(open, 'wrong-moment', 'human');
      case 'expired':
        return this.close(open, 'expired', 'human');
    }
  }

  /** Records which question it is. @returns its id */
  private async choose(
    open: MomentState,
    what: { known?: string | undefined; text?: string },
    by: 'human' | 'agent',
  ): Promise<string> {
    const { source, record } = this.options;
    const found = what.known === undefined ? undefined : source.find(what.known);
    const text = found?.text ?? what.text ?? '';
    const id = `q${this.state.moments.filter((m) => m.question).length + 1}`;
    await record.append({
      type: 'question',
      id,
      moment: open.moment.id,
      ...(found && { known: found.id, level: found.level, intent: found.intent }),
      text,
      by,
      informed: found ? false : source.informed(text),
    });
    return id;
  }

  private async close(
    open: MomentState,
    outcome: 'answered' | 'passed' | 'expired' | 'wrong-moment' | 'never',
    by: 'human' | 'agent',
    more: { question?: string; text?: string } = {},
  ): Promise<void> {
    const { record, source } = this.options;
    const question = more.question ?? open.question?.id;
    await record.append({
      type: 'answer',
      moment: open.moment.id,
      ...(question !== undefined && { question }),
      outcome,
      by,
      ...(more.text !== undefined && { text: more.text }),
      informed: more.text !== undefined && source.informed(more.text),
    });
  }

  /** Says it to the agent. */
  private async tell(open: MomentState): Promise<void> {
    const { record, source, promptVersion: version } = this.options;
    const { question, answer, moment } = open;
    const text =
      question && answer?.text !== undefined
        ? answeredPrompt(question.text, answer.text)
        : question
          ? putPrompt(question.text, question.known === undefined)
          : alternativesPrompt(
              moment.evidence,
              known(source, open.offered).map((q) => q.text),
            );
    await record.append({ type: 'prompt', text, version, moment: moment.id });
  }
}

function choiceOf({ id, text, level, intent }: Question): Choice {
  return { id, text, level, intent };
}

function known(source: QuestionSource, ids: readonly string[]): Question[] {
  return ids.flatMap((id) => source.find(id) ?? []);
}
