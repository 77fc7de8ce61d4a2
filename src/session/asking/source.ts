// What a session needs of the questions room, and that room as it is: moments of the state, questions that fit one.
import { creditOf, talliesOf } from '../../questions/credit.js';
import { isInformed } from '../../questions/informed.js';
import { dueMoment, type Occasion } from '../../questions/moments.js';
import { offer, type Offer } from '../../questions/pick.js';
import { standingOf } from '../../questions/standing.js';
import type { Moment, MomentPlace, Question } from '../../questions/types.js';
import { expandScenarios } from '../../task/scenarios.js';
import type { TaskFile } from '../../task/schema.js';
import type { SessionState } from '../fold.js';

export interface QuestionSource {
  /**
   * The decision moment that is due now, at its pace; undefined for none.
   * @param placeOf first line that a candidate changed
   */
  due(
    state: Readonly<SessionState>,
    occasion: Occasion,
    placeOf?: (candidate: string) => MomentPlace | undefined,
  ): Moment | undefined;
  /**
   * Questions that fit a moment, at most three, and whether the draw lets it be asked; a function of the trace.
   * @param number of the moment in its session, from 1
   * @param refused ids of questions that are not wanted
   */
  offer(state: SessionState, moment: Moment, number: number, refused: readonly string[]): Offer;
  find(id: string): Question | undefined;
  /** True for a text that supplies facts: it earns no credit. */
  informed(text: string): boolean;
  /** Never offers a question again, here and in later sessions of the workspace. */
  mute(id: string): Promise<void>;
}

/**
 * The questions of a repertoire for one task.
 * @param keepMuted remembers it for later sessions
 */
export function questionSource(
  questions: readonly Question[],
  task: TaskFile,
  keepMuted: (id: string) => Promise<unknown>,
): QuestionSource {
  const scenarios = expandScenarios(task).filter((s) => !s.heldOut).length;
  const around = { scenarios, hasWork: task.work !== undefined, hasProfile: false };
  const muted = new Set<string>();
  return {
    due: (state, occasion, placeOf) => dueMoment(state, occasion, placeOf && { placeOf }),
    offer: (state, moment, number, refused) =>
      offer({
        questions: questions.filter((q) => !muted.has(q.id)),
        moment,
        number,
        standing: standingOf(state, around),
        tallies: [...(state.credit ?? []), ...talliesOf(creditOf(state))],
        seed: state.seed,
        refused,
      }),
    find: (id) => questions.find((q) => q.id === id),
    informed: isInformed,
    mute: async (id) => {
      muted.add(id);
      await keepMuted(id);
    },
  };
}
