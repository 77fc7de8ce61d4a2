// A profile as the agent reads it: at most 600 tokens, whatever the profiler, the compiler and the kernel had to say.
import type { Profile, SourceFile } from '../../../remote-runner/protocol.js';
import { profileText } from '../../profile/text.js';
import type { Quote } from './text.js';

/** At about four characters a token, 600 tokens with the marks around them. */
export const MOST_CHARACTERS = 2200;

export function profileResult(profile: Profile, sources: readonly SourceFile[], quote: Quote): string {
  const source = (file: string, line: number): string | undefined =>
    sources.find((s) => s.path === file)?.text.split(/\r\n|\n|\r/)[line - 1];
  const { status, message, scenario, diagnostics } = profile;
  const head =
    status === 'correct'
      ? [`scenario ${scenario ?? 'unknown'}`]
      : [
          ...(message === profile.trouble?.message ? [] : [`${status}: ${message}`]),
          ...diagnostics
            .filter((d) => d.severity === 'error')
            .slice(0, 5)
            .map((d) => `${d.file}:${d.line}: ${d.message}`),
        ];
  const start = head.map((line) => `${line.slice(0, MOST_CHARACTERS / 4)}\n`).join('');
  const limit = MOST_CHARACTERS - start.length;
  const text = start + (limit > 0 ? profileText(profile, { source, limit }) : '');
  return quote(text.trim().slice(0, MOST_CHARACTERS));
}
