// A profile made from the recorded pages of Nsight Compute under test/fixtures/nvidia.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { factsOf, type Facts } from '../../remote-runner/profile/facts.js';
import type { Pages } from '../../remote-runner/profile/ncu.js';
import type { Profile } from '../../remote-runner/protocol.js';

const fixture = (file: string): string => readFileSync(path.resolve(__dirname, '../fixtures/nvidia', file), 'utf8');

export const recordedPages = (): Pages => ({
  raw: fixture('raw-base-units.csv'),
  details: fixture('details.csv'),
  lines: fixture('source-cuda-sass.csv'),
  sass: fixture('source-sass.csv'),
});

export const recordedFacts = (wanted?: string): Facts =>
  factsOf(recordedPages(), wanted, (file) => (file.startsWith('/build/kernels/') ? path.basename(file) : undefined));

/** Three launches; lines are recorded of the first. */
export const recordedProfile = (): Profile => ({
  status: 'correct',
  message: '3 launches profiled',
  emulated: false,
  sourcesSha256: '0'.repeat(64),
  set: 'full',
  launches: recordedFacts().launches,
  missingMetrics: [],
  resources: [],
  diagnostics: [],
  warnings: [],
  artifacts: [],
  phases: {},
});
