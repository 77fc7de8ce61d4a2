// Spreads jobs over threads.
import { Worker } from 'node:worker_threads';
import { type Job, runJob } from './jobs.js';

/** Where jobs run: in so many threads of the bundle's worker script, or here. */
export type Threads = { script: string; count: number } | 'inline';

/**
 * Results in the order of the jobs.
 * @param onDone told how many are finished
 * @throws what a job throws; the other threads are ended then
 */
export async function runJobs(
  jobs: readonly Job[],
  threads: Threads,
  onDone: (done: number) => void,
): Promise<number[][]> {
  if (threads === 'inline') return jobs.map(runJob);
  const results: number[][] = new Array<number[]>(jobs.length);
  const queue = [...jobs.entries()];
  let done = 0;
  const workers = Array.from({ length: Math.min(threads.count, jobs.length) }, () => new Worker(threads.script));
  try {
    await Promise.all(
      workers.map(async (worker) => {
        for (let next = queue.shift(); next; next = queue.shift()) {
          const [i, job] = next;
          results[i] = await answer(worker, job);
          onDone(++done);
        }
      }),
    );
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
  return results;
}

function answer(worker: Worker, job: Job): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const finish = () => {
      worker.off('message', onMessage);
      worker.off('error', onError);
    };
    const onMessage = (numbers: number[]) => {
      finish();
      resolve(numbers);
    };
    const onError = (error: Error) => {
      finish();
      reject(error);
    };
    worker.on('message', onMessage);
    worker.on('error', onError);
    worker.postMessage(job);
  });
}
