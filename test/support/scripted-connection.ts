// A runner connection in this process: verdicts come from a script, faults of the road on request.
import type {
  EvaluateParams,
  InitializeResult,
  Profile,
  ProfileParams,
  Verdict,
} from '../../remote-runner/protocol.js';
import type { RunnerConnection } from '../../src/runner/types.js';
import { RunnerError } from '../../src/runner/types.js';

export interface RunnerScript {
  /** Verdict of one job; throwing a RunnerError is a fault of the road. `text` is that of the first source. */
  judge: (text: string, params: EvaluateParams, job: string) => Verdict | Promise<Verdict>;
  /** Profile of one job; profiling is a fault of the test where absent. */
  profile?: (params: ProfileParams, job: string) => Profile;
  target?: InitializeResult['targets'][number];
}

const CPU: InitializeResult['targets'][number] = { kind: 'cpu', id: 'cpu', name: 'scripted CPU', compiler: 'none' };

export class ScriptedRunner {
  /** Every job that was submitted, in order. */
  readonly jobs: { job: string; mode: Verdict['mode']; text: string }[] = [];
  connections = 0;
  closed = 0;

  constructor(private readonly script: RunnerScript) {}

  connect = (): Promise<RunnerConnection> => {
    this.connections += 1;
    const target = this.script.target ?? CPU;
    return Promise.resolve({
      address: 'scripted',
      about: {
        runner: { name: 'scripted', version: '0' },
        host: { platform: 'linux', arch: 'x64', cores: 2, cpu: 'none' },
        targets: [target],
        missing: [],
        tools: {},
        profiling: 'absent',
      },
      fetch: () => Promise.reject(new Error('nothing was made')),
      run: async (job, params, _files, { signal, onProgress }) => {
        if (params.kind === 'profile' && this.script.profile) {
          return { kind: 'profile', profile: this.script.profile(params, job) };
        }
        if (params.kind !== 'evaluate') throw new Error(`a job ${params.kind} is not scripted`);
        const text = (params.candidate ?? params.task.original)[0]?.text ?? '';
        this.jobs.push({ job, mode: params.mode, text });
        onProgress?.({ type: 'phase', phase: 'build', detail: 'building' });
        const cancelled = new Promise<never>((_, reject) => {
          const cancel = (): void => reject(new RunnerError('cancelled', 'cancelled'));
          if (signal?.aborted) cancel();
          signal?.addEventListener('abort', cancel, { once: true });
        });
        cancelled.catch(() => undefined);
        const verdict = await Promise.race([this.script.judge(text, params, job), cancelled]);
        return { kind: 'verdict', verdict: { ...verdict, mode: params.mode, target } };
      },
      close: () => {
        this.closed += 1;
        return Promise.resolve();
      },
    });
  };
}
