// A trace without the text of the kernels: whatever may quote a source is left out, what was measured stays.
import type { Verdict } from '../../../remote-runner/protocol.js';
import type { TraceEvent } from '../events.js';

export const LEFT_OUT = '[left out of the bundle]';

/**
 * The conversation, compiler output and findings go; notes, questions, answers, claims, times and verdicts stay, since they
 * are what a session is shared for.
 */
export function withoutSource(event: TraceEvent): TraceEvent {
  switch (event.type) {
    case 'prompt':
    case 'advice':
      return { ...event, text: LEFT_OUT };
    case 'model':
      return { ...event, content: [{ type: 'text', text: LEFT_OUT }] };
    case 'tool':
      return { ...event, input: {}, result: LEFT_OUT };
    case 'baseline':
    case 'verdict':
      return { ...event, verdict: verdictWithoutSource(event.verdict) };
    default:
      return event;
  }
}

function verdictWithoutSource(verdict: Verdict): Verdict {
  const { output: _output, unsupported, ...rest } = verdict;
  return {
    ...rest,
    message: verdict.status === 'correct' ? verdict.message : verdict.status,
    diagnostics: verdict.diagnostics.map(({ file, line, severity }) => ({ file, line, severity, message: LEFT_OUT })),
    findings: verdict.findings.map(({ code, file, line }) => ({
      code,
      message: LEFT_OUT,
      ...(file !== undefined && { file }),
      ...(line !== undefined && { line }),
    })),
    resources: verdict.resources.map((r, i) => ({ ...r, entry: `kernel ${i + 1}`, name: `kernel ${i + 1}` })),
    warnings: verdict.warnings.map(() => LEFT_OUT),
    scenarios: verdict.scenarios.map(({ message: _message, ...scenario }) => scenario),
    ...(unsupported && { unsupported: { ...unsupported, construct: LEFT_OUT } }),
  };
}
