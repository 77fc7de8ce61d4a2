// Brings read-only files to the runner: only those it lacks, in chunks, each acknowledged before the next.
import type { MessageConnection } from 'vscode-jsonrpc/node';
import { LIMITS, METHODS, filesNeedResult } from '../../remote-runner/protocol.js';
import { RunnerError } from './types.js';

/** @param files contents by sha256 */
export async function upload(
  rpc: MessageConnection,
  files: ReadonlyMap<string, Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (files.size === 0) return;
  const answer = await rpc.sendRequest<unknown>(METHODS.filesNeed, { sha256: [...files.keys()] });
  const needed = filesNeedResult.safeParse(answer);
  if (!needed.success)
    throw new RunnerError('protocol', 'The runner answered files/need in a way that is not understood.');
  for (const sha256 of needed.data.sha256) {
    const bytes = files.get(sha256);
    if (!bytes)
      throw new RunnerError('protocol', `The runner asks for a file that is not part of the task (${sha256}).`);
    for (let offset = 0; offset === 0 || offset < bytes.length; offset += LIMITS.chunk) {
      if (signal?.aborted) return;
      const data = Buffer.from(bytes.subarray(offset, offset + LIMITS.chunk)).toString('base64');
      await rpc.sendRequest(METHODS.filesPut, { sha256, size: bytes.length, offset, data });
    }
  }
}
