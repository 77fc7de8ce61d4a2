// Entry of a bench thread: jobs in, results out, one at a time.
import { parentPort } from 'node:worker_threads';
import { type Job, runJob } from './jobs.js';

parentPort?.on('message', (job: Job) => parentPort?.postMessage(runJob(job)));
