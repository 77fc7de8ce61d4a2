// A candidate that looks around (test/isolation/probe.cu), what it is told to look for, and what it found.
import { createServer, type Server } from 'node:net';
import { readdirSync, readFileSync, rmSync, writeFileSync, mkdtempSync, chmodSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { Verdict } from '../../remote-runner/protocol.js';

/** What stands in the planted file; also valid C++, so that a compiler that reads it would say or keep it. */
const PLANTED = 'planted_secret_5d0c2f';

export class Surroundings {
  private readonly folder = mkdtempSync(path.join(os.tmpdir(), 'kernelseek-planted-'));
  private readonly server: Server = createServer((socket) => socket.end());
  /** Readable by everyone: nothing but confinement keeps it. */
  readonly secret = path.join(this.folder, 'secret.h');
  /** What the process that tries to survive calls itself; at most 15 characters, as the kernel keeps them. */
  readonly name = `ks-${randomUUID().slice(0, 12)}`;

  static async create(): Promise<Surroundings> {
    const surroundings = new Surroundings();
    chmodSync(surroundings.folder, 0o755);
    writeFileSync(surroundings.secret, `int ${PLANTED} = ${PLANTED}_undefined;\n`, { mode: 0o644 });
    await new Promise<void>((resolve) => surroundings.server.listen(0, '127.0.0.1', resolve));
    return surroundings;
  }

  /** The probe, told what to look for. */
  fill(probe: string): string {
    const { port } = this.server.address() as AddressInfo;
    const define = `#define SECRET "${this.secret}"\n#define PORT ${port}\n#define NAME "${this.name}"\n`;
    return define + probe;
  }

  /** Is the planted text anywhere in it? */
  leaksInto(value: unknown): boolean {
    return (typeof value === 'string' ? value : JSON.stringify(value)).includes(PLANTED);
  }

  /** Processes of this machine that the probe left behind. */
  survivors(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === this.name;
        } catch {
          return false;
        }
      });
  }

  dispose(): void {
    this.server.close();
    for (const pid of this.survivors()) process.kill(pid, 'SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What the probe printed, by name. */
export function seenBy(verdict: Verdict): Record<string, string> {
  const lines = [...(verdict.output ?? '').matchAll(/^probe (\w+)=(.*)$/gm)];
  return Object.fromEntries(lines.map(([, name, value]) => [name, value]));
}

/** What the probe sees where all protections hold. */
export const NOTHING_SEEN = {
  secret: 'no',
  passwd: 'no',
  processes: '0',
  environments: '0',
  network: 'no',
  root: 'no',
  usr: 'no',
  core: '0',
  fsize: 'limited',
  nproc: 'limited',
};
