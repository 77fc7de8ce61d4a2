// Evaluates in a process of another user, or of another root folder: reads what to evaluate from a file, prints verdicts.
import { mkdirSync, readFileSync } from 'node:fs';
import { createEvaluator } from '../../remote-runner/evaluate/create.js';
import type { EvaluateParams } from '../../remote-runner/protocol.js';

export interface Elsewhere {
  harnessFolder: string;
  /** Writable for whom it is. */
  folder: string;
  params: EvaluateParams[];
}

async function main(): Promise<void> {
  const { harnessFolder, folder, params } = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as Elsewhere;
  const options = { harnessFolder, cacheFolder: `${folder}/cache`, environment: process.env };
  const { evaluator, abilities } = await createEvaluator(options);
  const verdicts = [];
  for (const [i, one] of params.entries()) {
    const job = `${folder}/job-${i}`;
    mkdirSync(job);
    const signal = new AbortController().signal;
    const context = {
      signal,
      progress: () => undefined,
      stored: () => '',
      keep: () => Promise.reject(new Error('evaluations keep no files')),
      folder: job,
      scratch: folder,
    };
    verdicts.push(await evaluator.evaluate(one, context));
  }
  process.stdout.write(JSON.stringify({ isolation: abilities.isolation, verdicts }));
}

void main();
