// What the runner says of itself and its machine: the answer to initialize, and the page of --check.
import { availableParallelism, cpus } from 'node:os';
import type { InitializeResult } from './protocol.js';
import { warningOf } from './sandbox/isolation.js';
import { VERSION } from './version.js';

/** What the targets contribute. */
export type Abilities = Pick<InitializeResult, 'targets' | 'missing' | 'tools' | 'profiling' | 'isolation'>;

export function describe(abilities: Abilities): InitializeResult {
  return {
    runner: { name: 'kernelseek-runner', version: VERSION },
    host: {
      platform: process.platform,
      arch: process.arch,
      cores: availableParallelism(),
      cpu: cpus()[0]?.model.trim() ?? 'unknown',
    },
    ...abilities,
  };
}

/** The page of --check, for a person. */
export function checkPage({ runner, host, targets, missing, tools, profiling, isolation }: InitializeResult): string {
  const lines = [
    `${runner.name} ${runner.version} on ${host.platform}/${host.arch}, ${host.cores} cores, ${host.cpu}`,
    '',
    'Can run kernels on:',
  ];
  for (const t of targets) {
    const facts = [t.arch, t.driver && `driver ${t.driver}`, t.compiler].filter(Boolean);
    lines.push(`  ${t.kind}  ${t.name} (${facts.join(', ')})`);
  }
  if (targets.length === 0) lines.push('  nothing');
  if (missing.length > 0) lines.push('', 'Missing:', ...missing.map((m) => `  ${m.kind}  ${m.reason}`));
  const found = Object.entries(tools).map(([name, version]) => `${name} ${version}`);
  lines.push('', `Tools: ${found.join(', ') || 'none found'}`, `Profiling: ${profiling}`);
  if (isolation) lines.push(`Isolation: ${warningOf(isolation) ?? `by ${isolation.means}`}`);
  lines.push('');
  return lines.join('\n');
}
