// A small questions room and a person who answers by script, for tests of how questions travel through a session.
import type { Occasion } from '../../src/questions/moments.js';
import type { Moment, Question } from '../../src/questions/types.js';
import type { Asked, Asker, Reply } from '../../src/session/asking/asker.js';
import type { QuestionSource } from '../../src/session/asking/source.js';
import type { SessionState } from '../../src/session/fold.js';

const question = (id: string, text: string, more: Partial<Question> = {}): Question => ({
  id,
  text,
  level: 'data-movement',
  intent: 'move',
  moments: [],
  needs: [],
  ...more,
});

export const QUESTIONS: Question[] = [
  question('twice', 'Which byte travels twice?'),
  question('waiting', 'What is the machine waiting for while it is not computing?', { level: 'overlap' }),
  question('habit', 'Which order here is only a habit?', { level: 'decomposition' }),
  question('whose', 'Whose limit is that?', { level: 'algorithm', intent: 'refuse' }),
  question('granted', 'What have all attempts so far taken for granted?', { level: 'algorithm' }),
];

export interface ScriptedQuestions {
  /** Candidates after whose verdict a question is due. */
  after?: string[];
  /** How many wishes to stop meet a question. */
  wishes?: number;
  /** Candidates whose moment is left in silence. */
  silent?: string[];
}

/** Due once after each named candidate, at each claim, and at the first wishes to stop. */
export function scriptedQuestions({ after = [], wishes = 0, silent = [] }: ScriptedQuestions): QuestionSource {
  const muted = new Set<string>();
  return {
    due(state, occasion) {
      const found = dueAt(state, occasion, after, wishes);
      return found && !(state.evaluations >= state.budget.evaluations && occasion !== 'human') ? found : undefined;
    },
    offer: (_state, { candidate }, _number, refused) => ({
      asked: candidate === undefined || !silent.includes(candidate),
      offered: QUESTIONS.filter((q) => !refused.includes(q.id) && !muted.has(q.id)).slice(0, 3),
    }),
    find: (id) => QUESTIONS.find((q) => q.id === id),
    informed: (text) => /\d/.test(text),
    mute: (id) => Promise.resolve(void muted.add(id)),
  };
}

function dueAt(state: Readonly<SessionState>, occasion: Occasion, after: string[], wishes: number): Moment | undefined {
  const seen = (kind: Moment['kind']): number => state.moments.filter((m) => m.moment.kind === kind).length;
  switch (occasion) {
    case 'verdict': {
      const last = state.candidates.findLast((c) => c.first)?.id;
      const fresh =
        last !== undefined && after.includes(last) && !state.moments.some((m) => m.moment.candidate === last);
      return fresh ? { kind: 'plateau', evidence: `Nothing was gained up to ${last}.`, candidate: last } : undefined;
    }
    case 'claim':
      return seen('limit-claimed') < state.claims.length
        ? { kind: 'limit-claimed', evidence: `The agent claims: ${state.claims.at(-1)?.text ?? ''}.` }
        : undefined;
    case 'wish-to-stop':
      return seen('wish-to-stop') < wishes ? { kind: 'wish-to-stop', evidence: 'The agent wants to stop.' } : undefined;
    case 'human':
      return { kind: 'human', evidence: 'You interrupted.' };
  }
}

export interface ScriptedPerson extends Asker {
  /** What was put to the person, in order. */
  readonly seen: Asked[];
  /** Questions that the person poses; taken at the next safe point. */
  readonly poses: string[];
}

/** Answers from a list, one after the other; afterwards the agent picks. */
export function scriptedPerson(replies: (Reply | { type: 'expired' })[] = []): ScriptedPerson {
  const left = [...replies];
  const seen: Asked[] = [];
  const poses: string[] = [];
  return {
    seen,
    poses,
    ask(asked, signal) {
      signal.throwIfAborted();
      seen.push(asked);
      return Promise.resolve(left.shift() ?? { type: 'agent' });
    },
    posed: () => poses.shift(),
    running: () => Promise.resolve(),
  };
}
