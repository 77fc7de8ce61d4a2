import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Profile } from '../../remote-runner/protocol.js';
import { recordedProfile } from '../../test/support/recorded-profile.js';
import { bottleneckOf } from './bottleneck.js';
import { hotLines } from './hot-lines.js';
import { keyFigures } from './key-figures.js';
import { profileText } from './text.js';

const profile = recordedProfile();
const details = readFileSync(path.resolve(__dirname, '../../test/fixtures/nvidia/details.csv'), 'utf8');

describe('a recorded profile of three kernels', () => {
  it('names what each waits for', () => {
    const found = profile.launches.map((l) => bottleneckOf(keyFigures(l)));
    expect(found.map((b) => [b.class, b.unit])).toEqual([
      ['busy', 'L2'],
      ['throughput', 'L1'],
      ['busy', 'L2'],
    ]);
    expect(found[2]!.evidence).toContain('global, local or texture memory');
  });

  it('takes its figures from the metrics that the profiler shows', () => {
    const [softmax, matmul, spilling] = profile.launches.map(keyFigures);
    expect(softmax!.seconds).toBeCloseTo(40.544e-6, 9);
    expect(matmul!.occupancy).toMatchObject({
      achieved: 98.25,
      blocks: 2,
      limiters: ['registers', 'threads per block'],
    });
    expect(spilling!.spills).toBe(36_405_248);
    expect(softmax!.stalls[0]).toEqual({ reason: 'long_scoreboard', cycles: 8.12 });
  });

  it('ranks lines by waiting without an issue, barriers apart', () => {
    const hot = hotLines(profile.launches[0]!, 5);
    expect(hot.length).toBe(5);
    expect(hot.every((h) => h.line.file === 'softmax.cu')).toBe(true);
    expect(hot.map((h) => h.share)).toEqual([...hot.map((h) => h.share)].sort((a, b) => b - a));
    expect(hot.reduce((sum, h) => sum + h.share, 0)).toBeLessThanOrEqual(1);
    for (const { reasons } of hot) expect(reasons.map((r) => r.reason)).not.toContain('barrier');
  });

  it('fits into six hundred tokens, and shows no number that the report does not hold', () => {
    const text = profileText(profile);
    expect(text.length).toBeLessThanOrEqual(2400);
    expect(text).toContain('softmax_block_per_row');
    // The rules' figures stand in the details page as printed.
    for (const [, percent] of text.matchAll(/estimated ([\d.]+) %/g)) {
      const shown = Number(percent);
      const printed = [...details.matchAll(/"(?:global|local)","([\d.]+)"/g)].map((m) => Number(m[1]));
      expect(printed.some((p) => Math.abs(p - shown) <= 0.005 * p)).toBe(true);
    }
  });

  it('says what is missing instead of showing nothing', () => {
    const denied: Profile = {
      ...profile,
      launches: [],
      trouble: { kind: 'not-permitted', message: 'counters are not permitted on device 1: …' },
      resources: [{ entry: '_Z1kPf', name: 'k(float*)', arch: 'sm_90a', registers: 40, spillLoadBytes: 8 }],
    };
    const text = profileText(denied);
    expect(text).toContain('not permitted on device 1');
    expect(text).toContain('k(float*) (sm_90a): 40 registers');
    const basic = profile.launches.map((l) => ({ ...l, lines: [] }));
    expect(profileText({ ...profile, set: 'basic', launches: basic })).toContain(
      'not measured (set basic): counters by line',
    );
  });
});
