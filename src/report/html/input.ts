// What a report is made of: the trace, the sources that it names where they are at hand, and how a reader repeats it.
import type { SourceFile } from '../../../remote-runner/protocol.js';
import type { TraceEvent } from '../../session/events.js';
import type { SessionState } from '../../session/fold.js';

export interface ReportInput {
  state: SessionState;
  /** The whole trace, in order. */
  events: readonly TraceEvent[];
  original: readonly SourceFile[];
  /** Sources by candidate, for those whose change is shown and their parents; a candidate that is missing has no change. */
  sources: ReadonlyMap<string, readonly SourceFile[]>;
  /** What is wrong with the trace, or missing from the session. */
  warnings: readonly string[];
  /** Commands that do it again, each with what it does. */
  commands: readonly { does: string; command: string }[];
  /** Version of KernelSeek that makes the report. */
  version: string;
  /** Milliseconds since the epoch. */
  madeAt: number;
}
