// The command line of kernelseek-runner: what can be said, and the page that explains it.
import { Command, InvalidArgumentError } from 'commander';
import { homedir } from 'node:os';
import path from 'node:path';
import { TOKEN_VARIABLE } from './token.js';

export interface Options {
  host: string;
  port: number;
  tokenFile?: string;
  cert?: string;
  key?: string;
  state: string;
  /** Evaluations at once; absent: by the number of cores. */
  jobs?: number;
  check?: boolean;
  readyJson?: boolean;
  withParent?: boolean;
}

const explanation = `
A KernelSeek runner compiles CUDA kernels, checks them against the original and times them.
Start it on the machine with the GPU; KernelSeek in your editor or terminal connects to it.
(On the machine you work on, nothing needs to be started: KernelSeek does that by itself.)

On the GPU machine:
  kernelseek-runner --check        what this machine can run, and what is missing
  kernelseek-runner                start; it prints its address and where its token lies

On your machine, through SSH, so that nothing is open to the network:
  ssh -N -L 4242:127.0.0.1:4242 gpu-machine &
  export ${TOKEN_VARIABLE}=$(ssh gpu-machine cat .local/state/kernelseek/runner/token)
  kernelseek evaluate NAME.task.json --runner ws://127.0.0.1:4242

The token is what lets a client in, and whoever has it can run programs as you: keep it secret. It comes from
--token-file, else from ${TOKEN_VARIABLE}, else one is made and written to STATE/token, readable by you alone.
It is never printed and never taken from the command line, where other users could see it.`;

function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65535) throw new InvalidArgumentError('Give a number from 0 to 65535.');
  return port;
}

function jobNumber(text: string): number {
  const jobs = Number(text);
  if (!/^\d+$/.test(text) || jobs < 1 || jobs > 256) throw new InvalidArgumentError('Give a number from 1 to 256.');
  return jobs;
}

/** `$XDG_STATE_HOME/kernelseek/runner`, by default below ~/.local/state. */
function defaultState(environment: NodeJS.ProcessEnv): string {
  const given = environment.XDG_STATE_HOME;
  const base = given !== undefined && path.isAbsolute(given) ? given : path.join(homedir(), '.local', 'state');
  return path.join(base, 'kernelseek', 'runner');
}

/** Parses; prints help, version or what is wrong and exits, as commander does. */
export function parseOptions(argv: string[], version: string, environment: NodeJS.ProcessEnv): Options {
  const command = new Command('kernelseek-runner')
    .description('Evaluates CUDA kernels for KernelSeek on this machine.')
    .version(version)
    .helpOption('-h, --help', 'show this page')
    .option('--check', 'print what this machine can run and what is missing, then exit')
    .option('--host <address>', 'address to listen on; beyond 127.0.0.1 use --cert and --key', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 takes one that is free', portNumber, 4242)
    .option('--token-file <path>', 'read the token from this file')
    .option('--cert <path>', 'TLS certificate chain (PEM): clients then use wss://')
    .option('--key <path>', 'TLS private key (PEM)')
    .option('--state <folder>', 'jobs, uploads, builds and the token', defaultState(environment))
    .option('--jobs <number>', 'evaluations at once, by default one a core, 2 to 16', jobNumber)
    .option('--ready-json', 'print one JSON line {url, tokenFile, pid} on stdout when ready (for programs)')
    .option('--with-parent', 'exit when standard input closes (for programs)')
    .addHelpText('after', explanation)
    .configureHelp({ showGlobalOptions: false })
    .allowExcessArguments(false)
    .showHelpAfterError('(kernelseek-runner --help explains the options)');
  command.parse(argv);
  const options = command.opts<Options>();
  if ((options.cert === undefined) !== (options.key === undefined)) {
    command.error('--cert and --key belong together: give both or none.');
  }
  return { ...options, state: path.resolve(options.state) };
}
