// What a program that uses the GPU needs to see of this machine beside the system's libraries.
import { existsSync, readdirSync } from 'node:fs';
import { runTool } from '../run-tool.js';

/** Device nodes of the driver, on servers, on Tegra and below WSL. */
const NODE = /^(?:nvidia|nvhost|nvmap|dxg)/;

const PLACES = [
  '/sys',
  // Where container runtimes and WSL put the driver's libraries, and what the driver reads of its settings.
  ...['/usr/local/nvidia', '/usr/lib/wsl', '/usr/share/nvidia', '/etc/nvidia', '/usr/local/cuda'],
];

export function driverView(): { read: string[]; devices: string[] } {
  const nodes = readdirSync('/dev').filter((name) => NODE.test(name));
  return { read: PLACES, devices: nodes.map((name) => `/dev/${name}`) };
}

/**
 * The driver makes the node for unified memory when the first program of the machine needs it, by a helper that a confined
 * program cannot start: done beforehand, as any CUDA program would.
 */
export async function makeDeviceNodes(signal: AbortSignal): Promise<void> {
  if (process.platform !== 'linux' || existsSync('/dev/nvidia-uvm') || !existsSync('/dev/nvidiactl')) return;
  const options = {
    cwd: '/',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' },
    signal,
    timeoutMs: 30_000,
  };
  // Where it is missing or not allowed, CUDA says so itself.
  await runTool('nvidia-modprobe', ['-c', '0', '-u'], options).catch(() => undefined);
}
