// The way to a runner: a remote one by its address, or a local one of our own.
import type { JobParams } from '../../remote-runner/protocol.js';
import type { KernelParser } from '../kernel/parser.js';
import { TaskError } from '../task/types.js';
import { download } from './download.js';
import { Follow } from './follow.js';
import { withPlans } from './launch-plan.js';
import { Link } from './link.js';
import { LocalRunner } from './local.js';
import type { Connect, RunnerConnection } from './types.js';
import { RunnerError } from './types.js';

export interface ConnectSettings {
  /** Our own version, told to the runner. */
  version: string;
  /** Absolute path of the local runner's bundle. */
  runnerBundle: string;
  /** State folder of the local runner; absent: the runner's own choice. */
  state?: string;
  /** Reads what host functions launch, for runners with a GPU; without it they always run host code. */
  parser?: () => Promise<KernelParser>;
  /** Milliseconds after which a runner that does not come back counts as lost. */
  giveUpMs?: number;
}

const GIVE_UP_MS = 120_000;

/** Makes the function that connects; composition roots know where the bundle lies. */
export function createConnect(settings: ConnectSettings): Connect {
  const { version, runnerBundle, state, parser, giveUpMs = GIVE_UP_MS } = settings;
  return async (address, { signal, log = () => undefined } = {}) => {
    const { url, token } = address;
    const local = url === undefined ? new LocalRunner({ bundle: runnerBundle, state, log }) : undefined;
    if (url !== undefined && /^ws:\/\/(?!127\.|localhost[:/]|\[::1\])/.test(url)) {
      log(`warning: ${url} is not encrypted: use wss:// or an SSH tunnel`);
    }
    const endpoint = local ? () => local.endpoint() : () => Promise.resolve({ url: url as string, token });
    const link = new Link({ endpoint, version, log, giveUpMs });
    const stopStarting = (): void => void local?.close();
    signal?.addEventListener('abort', stopStarting, { once: true });
    try {
      const about = await link.connect(signal);
      if (about.runner.version !== version) {
        log(`the runner is of version ${about.runner.version}, KernelSeek here of version ${version}`);
      }
      return connection(link, local, about, url ?? 'local', parser);
    } catch (error) {
      await local?.close();
      throw signal?.aborted ? new RunnerError('cancelled', 'Connecting was cancelled.') : error;
    } finally {
      signal?.removeEventListener('abort', stopStarting);
    }
  };
}

function connection(
  link: Link,
  local: LocalRunner | undefined,
  about: RunnerConnection['about'],
  address: string,
  parser: ConnectSettings['parser'],
): RunnerConnection {
  /** On a GPU device code is evaluated alone where its launches can be read. A task with faults is the runner's to tell. */
  const planned = async (params: JobParams, files: ReadonlyMap<string, Uint8Array>): Promise<JobParams> => {
    const hasGpu = about.targets.some((t) => t.kind === 'cuda');
    if (params.kind !== 'evaluate' || params.target === 'cpu' || params.plans || !parser || !hasGpu) return params;
    return withPlans(params, files, parser).catch((error: unknown) => {
      if (error instanceof TaskError) return params;
      throw error;
    });
  };
  return {
    about,
    address,
    run: async (job, params: JobParams, files, options) => {
      const { event, ...rest } = await new Follow(link, job, await planned(params, files), files, options).run();
      switch (event.type) {
        case 'verdict':
          return { kind: 'verdict', verdict: event.verdict, ...rest };
        case 'calibration':
          return { kind: 'calibration', calibration: event.calibration, ...rest };
        case 'profile':
          return { kind: 'profile', profile: event.profile, ...rest };
        case 'ended':
          throw new RunnerError(event.reason, event.message);
      }
    },
    fetch: (artifact, signal) => download(link, artifact, signal),
    close: async () => {
      const answered = await link.close();
      await local?.close(answered);
    },
  };
}
