// Credit around one session: what earlier ones taught is read into its trace before the first question, and what it teaches is
// kept when it ends.
import { loadCredit, saveCredit } from '../../questions/credit-store.js';
import { creditOf, talliesOf } from '../../questions/credit.js';
import type { SessionState } from '../fold.js';
import type { SessionRecord } from '../record.js';
import type { Strategy } from '../strategy.js';

/** The strategy, begun with credit: by then the device is known. A resumed session goes on with what its trace holds. */
export function withCredit(strategy: Strategy, record: SessionRecord, workspace: string): Strategy {
  return async (context) => {
    await recallCredit(record, workspace);
    return strategy(context);
  };
}

async function recallCredit(record: SessionRecord, workspace: string): Promise<void> {
  const { state } = record;
  const device = deviceOf(state);
  if (state.credit || device === undefined) return;
  const { credit, problems } = await loadCredit(workspace);
  for (const problem of problems) await record.trouble('session', problem);
  const others = (credit.get(device) ?? []).filter((o) => o.session !== state.session);
  // Picking compares questions with each other; silence is for the report.
  await record.append({ type: 'credit', tallies: talliesOf(others.filter((o) => !o.silent)) });
}

/**
 * Keeps what a session had to say, in place of what it said before; call it when the session has ended. Never fails: the trace
 * holds the same.
 */
export async function keepCredit(state: SessionState, workspace: string, log: (line: string) => void): Promise<void> {
  const device = deviceOf(state);
  if (device === undefined) return;
  try {
    await saveCredit(workspace, state.session, device, creditOf(state));
  } catch (error) {
    log(
      `the credit of this session's questions was not kept: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Devices of one name share their credit. */
function deviceOf({ runner }: SessionState): string | undefined {
  return runner?.targets.find((t) => t.id === runner.chosen)?.name;
}
