// What a program that uses the GPU needs to see of this machine beside the system's libraries.
import { readdirSync } from 'node:fs';

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
