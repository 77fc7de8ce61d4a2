// Why a run under the profiler gave no counters, in words that say what to do.
import type { NcuTrouble } from '../../src/profile/readers/ncu-messages.js';
import type { ProfileParams, ProfileTrouble } from '../protocol.js';
import type { NcuRun } from './ncu.js';

const PERMISSION =
  'an administrator can allow it: load the driver with NVreg_RestrictProfilingToAdminUsers=0 (in /etc/modprobe.d), or run the ' +
  'runner as root or with CAP_SYS_ADMIN where it lives in a container (docker run --cap-add=SYS_ADMIN); else use another host';

/** Undefined where a report is there. The first cause counts. */
export function troubleOf({ run, messages, report }: NcuRun, params: ProfileParams): ProfileTrouble | undefined {
  const [first] = messages.troubles;
  const failed = run.answers.find((a) => a.startsWith('error '));
  if (first) return ofNcu(first, params);
  if (run.timedOut) {
    return {
      kind: 'time',
      message: `the profiler did not end in time: ask for fewer launches (--launches), a smaller set (--set basic) or a smaller scenario`,
    };
  }
  if (failed !== undefined)
    return { kind: 'refused', message: `the call failed under the profiler: ${failed.split(' ').slice(2).join(' ')}` };
  if (report !== undefined) return undefined;
  const said = run.output.trim().split('\n').at(-1) ?? '';
  return { kind: 'failed', message: `the profiler ended without a report${said && `: ${said}`}` };
}

function ofNcu(trouble: NcuTrouble, { kernel }: ProfileParams): ProfileTrouble {
  switch (trouble.kind) {
    case 'not-permitted': {
      const where = trouble.device === undefined ? '' : ` on device ${trouble.device}`;
      return { kind: 'not-permitted', message: `counters are not permitted${where}: ${PERMISSION}` };
    }
    case 'failed-kernel':
      return {
        kind: 'failed-kernel',
        message: `the profiler could not replay the kernel ${trouble.kernel}: profile it alone, or with fewer counters (--set basic)`,
      };
    case 'no-match': {
      const { available } = trouble;
      const asked = kernel === undefined ? 'no kernel was launched' : `no launched kernel is called ${kernel}`;
      const message = `${asked}${available.length > 0 ? `; launched: ${available.join(', ')}` : ''}`;
      return { kind: 'no-match', message, available };
    }
    case 'no-program':
      return { kind: 'failed', message: `the profiler cannot start ${trouble.path}` };
    case 'other':
      return { kind: 'failed', message: `the profiler says: ${trouble.message}` };
  }
}
