// The content-addressed store of read-only files: uploaded in chunks, verified, then visible under their hash.
import type { Hash } from 'node:crypto';
import { createHash, randomUUID } from 'node:crypto';
import { constants, createReadStream, mkdirSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { chmod, copyFile, lstat, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import path from 'node:path';
import type { FileRef } from '../protocol.js';
import { LIMITS } from '../protocol.js';

/** What the client did wrong, in words it can show. */
export class UploadError extends Error {}

export class FileStore {
  private readonly partial: string;

  constructor(private readonly folder: string) {
    this.partial = path.join(folder, 'partial');
    mkdirSync(this.partial, { recursive: true, mode: 0o700 });
  }

  /** Where the bytes lie once they are here. */
  stored(sha256: string): string {
    return path.join(this.folder, sha256.slice(0, 2), sha256);
  }

  /** Those of `hashes` that must be uploaded. The others count as used now, which spares them from the next sweep. */
  async missing(hashes: readonly string[]): Promise<string[]> {
    const now = new Date();
    const found = await Promise.all(
      hashes.map(async (sha256) => {
        const file = this.stored(sha256);
        try {
          // A link that somebody planted leads to what was never uploaded.
          if (!(await lstat(file)).isFile()) return false;
          await utimes(file, now, now);
          return true;
        } catch {
          return false;
        }
      }),
    );
    return hashes.filter((_, i) => !found[i]);
  }

  /** The first reference whose stated size is not that of its content. */
  async wrongSize(refs: readonly FileRef[]): Promise<FileRef | undefined> {
    for (const ref of refs) {
      if ((await lstat(this.stored(ref.sha256))).size !== ref.size) return ref;
    }
    return undefined;
  }

  /**
   * Takes in a copy of a file that a job made.
   * @throws UploadError when it is no plain file, or larger than a file may be
   */
  async keep(file: string): Promise<{ sha256: string; size: number }> {
    const found = await lstat(file);
    if (!found.isFile()) throw new UploadError(`${path.basename(file)} is no plain file`);
    if (found.size > LIMITS.file) throw new UploadError(`${path.basename(file)} has ${found.size} bytes: too many`);
    const copy = path.join(this.partial, randomUUID());
    try {
      await copyFile(file, copy);
      const hash = createHash('sha256');
      await pipeline(createReadStream(copy), hash);
      const sha256 = hash.digest('hex');
      const { size } = await stat(copy);
      await chmod(copy, 0o444);
      await mkdir(path.dirname(this.stored(sha256)), { recursive: true, mode: 0o700 });
      await rename(copy, this.stored(sha256));
      return { sha256, size };
    } finally {
      await rm(copy, { force: true });
    }
  }

  /** A piece of a stored file, at most LIMITS.chunk bytes; undefined when it is not here. */
  async read(sha256: string, offset: number): Promise<{ size: number; data: Buffer } | undefined> {
    const handle = await open(this.stored(sha256), constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined);
    if (!handle) return undefined;
    try {
      const { size } = await handle.stat();
      const data = Buffer.alloc(Math.max(0, Math.min(LIMITS.chunk, size - offset)));
      const { bytesRead } = await handle.read(data, 0, data.length, offset);
      return { size, data: data.subarray(0, bytesRead) };
    } finally {
      await handle.close();
    }
  }

  /** Opens the receiving end of one client; its unfinished uploads go with it. */
  receiver(): Receiver {
    return new Receiver(this.partial, (sha256) => this.stored(sha256));
  }

  /**
   * Removes files not asked for in `maxAgeMs`, and uploads broken off that long ago.
   * @param inUse hashes that are kept whatever their age: by a clock that was set, everything may look old
   */
  async sweep(maxAgeMs: number, inUse: ReadonlySet<string>): Promise<void> {
    const oldest = Date.now() - maxAgeMs;
    for (const entry of await readdir(this.folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || inUse.has(entry.name)) continue;
      const file = path.join(entry.parentPath, entry.name);
      const found = await stat(file).catch(() => undefined);
      if (found && found.mtimeMs < oldest) await rm(file, { force: true });
    }
  }
}

interface Upload {
  file: string;
  handle: FileHandle;
  hash: Hash;
  size: number;
  received: number;
}

/** Uploads of one client at a time: chunks of a file in order, at most a few files at once. */
export class Receiver {
  private static readonly MOST_OPEN = 8;
  private readonly uploads = new Map<string, Upload>();
  private tail: Promise<unknown> = Promise.resolve();
  private closed = false;

  constructor(
    private readonly folder: string,
    private readonly stored: (sha256: string) => string,
  ) {}

  /**
   * Takes one chunk; the file is stored when its last byte has come.
   * @param data base64
   * @returns bytes received so far
   * @throws UploadError
   */
  put(chunk: { sha256: string; size: number; offset: number; data: string }): Promise<number> {
    // One after the other: chunks of one file must not overtake each other.
    const result = this.tail.then(() => this.take(chunk));
    this.tail = result.catch(() => undefined);
    return result;
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.tail;
    await Promise.all([...this.uploads.keys()].map((sha256) => this.drop(sha256)));
  }

  private async take(chunk: { sha256: string; size: number; offset: number; data: string }): Promise<number> {
    if (this.closed) throw new UploadError('the connection is closed');
    const bytes = Buffer.from(chunk.data, 'base64');
    if (bytes.toString('base64') !== chunk.data) throw new UploadError('data is not plain base64');
    if (bytes.length > LIMITS.chunk) throw new UploadError(`a chunk holds at most ${LIMITS.chunk} bytes`);
    if (chunk.offset === 0) await this.begin(chunk.sha256, chunk.size);
    const upload = this.uploads.get(chunk.sha256);
    if (!upload) throw new UploadError(`no upload of ${chunk.sha256} is open; start at offset 0`);
    if (chunk.size !== upload.size) throw new UploadError(`size was ${upload.size} and is now ${chunk.size}`);
    if (chunk.offset !== upload.received) {
      throw new UploadError(`expected offset ${upload.received}, got ${chunk.offset}`);
    }
    if (upload.received + bytes.length > upload.size) {
      await this.drop(chunk.sha256);
      throw new UploadError(`more bytes than the stated size of ${upload.size}`);
    }
    if (bytes.length === 0 && upload.size > 0) throw new UploadError('the chunk is empty');
    // Not `write`, which on a full disk may write a part and say nothing.
    await upload.handle.appendFile(bytes);
    upload.hash.update(bytes);
    upload.received += bytes.length;
    if (upload.received === upload.size) await this.finish(chunk.sha256, upload);
    return upload.received;
  }

  private async begin(sha256: string, size: number): Promise<void> {
    await this.drop(sha256);
    if (this.uploads.size >= Receiver.MOST_OPEN) {
      throw new UploadError(`at most ${Receiver.MOST_OPEN} uploads may be open at once`);
    }
    const file = path.join(this.folder, randomUUID());
    const handle = await open(file, 'wx', 0o600);
    this.uploads.set(sha256, { file, handle, hash: createHash('sha256'), size, received: 0 });
  }

  private async finish(sha256: string, upload: Upload): Promise<void> {
    const actual = upload.hash.digest('hex');
    if (actual !== sha256) {
      await this.drop(sha256);
      throw new UploadError(`the content's sha256 is ${actual}, not ${sha256}`);
    }
    // A build that links instead of copying must not be able to change what the hash names.
    await upload.handle.chmod(0o444);
    await upload.handle.close();
    this.uploads.delete(sha256);
    const target = this.stored(sha256);
    await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
    await rename(upload.file, target);
  }

  private async drop(sha256: string): Promise<void> {
    const upload = this.uploads.get(sha256);
    if (!upload) return;
    this.uploads.delete(sha256);
    await upload.handle.close();
    await rm(upload.file, { force: true });
  }
}
