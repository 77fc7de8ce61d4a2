// What a session needs of the questions room: moments of its state, questions that fit one, what a text gives away.
import type { Moment, Question } from '../../questions/types.js';
import type { SessionState } from '../fold.js';

/** What just happened: a verdict or the baseline came, a limit was claimed, the agent wants to stop, a person interrupts. */
export type Occasion = 'verdict' | 'claim' | 'wish-to-stop' | 'human';

export interface QuestionSource {
  /** The decision moment that is due now, at its pace; undefined for none. */
  due(state: Readonly<SessionState>, occasion: Occasion): Moment | undefined;
  /** True where the draw leaves this moment in silence; a function of the trace. */
  silent(state: Readonly<SessionState>, moment: Moment): boolean;
  /**
   * Questions that fit a moment, best first, at most three.
   * @param not ids of questions that are not wanted
   */
  pick(state: Readonly<SessionState>, moment: Moment, not: ReadonlySet<string>): Question[];
  find(id: string): Question | undefined;
  /** True for a text that supplies facts: it earns no credit. */
  informed(text: string): boolean;
}
