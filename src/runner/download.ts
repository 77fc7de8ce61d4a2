// Brings what a job made from the runner, piece by piece, over as many connections as it takes, and checks that it is that.
import { createHash } from 'node:crypto';
import { ResponseError } from 'vscode-jsonrpc/node';
import { type Artifact, filesGetResult, LIMITS, METHODS } from '../../remote-runner/protocol.js';
import { ownCodes } from './follow.js';
import type { Link } from './link.js';
import { RunnerError } from './types.js';

/** @throws RunnerError */
export async function download(
  link: Link,
  { name, sha256, size }: Artifact,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  if (size > LIMITS.file) throw new RunnerError('protocol', `${name} has ${size} bytes, more than a file may have.`);
  const pieces: Buffer[] = [];
  for (let offset = 0; offset < size;) {
    if (signal?.aborted) throw new RunnerError('cancelled', `Fetching ${name} was cancelled.`);
    const piece = await pieceOf(link, sha256, offset);
    // Lost on the way: the next connection gives the same piece.
    if (piece === undefined) continue;
    if (piece.length === 0) throw new RunnerError('protocol', `The runner sent ${offset} of ${size} bytes of ${name}.`);
    pieces.push(piece);
    offset += piece.length;
  }
  const bytes = Buffer.concat(pieces);
  if (bytes.length !== size || createHash('sha256').update(bytes).digest('hex') !== sha256)
    throw new RunnerError('protocol', `What the runner sent as ${name} is something else.`);
  return bytes;
}

async function pieceOf(link: Link, sha256: string, offset: number): Promise<Buffer | undefined> {
  const { rpc, closed, wait } = await link.current();
  const stopWaiting = wait();
  try {
    const parsed = filesGetResult.safeParse(await rpc.sendRequest(METHODS.filesGet, { sha256, offset }));
    if (!parsed.success)
      throw new RunnerError('protocol', 'The runner answered files/get in a way that is not understood.');
    return Buffer.from(parsed.data.data, 'base64');
  } catch (error) {
    if (error instanceof RunnerError) throw error;
    if (error instanceof ResponseError && !ownCodes.has(error.code)) throw new RunnerError('rejected', error.message);
    await closed;
    return undefined;
  } finally {
    stopWaiting();
  }
}
