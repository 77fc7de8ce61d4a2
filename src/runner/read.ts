// Reads the files of a task: unsaved text wins over the disk, and nothing outside the workspace is read.
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { TaskError } from '../task/types.js';
import { isBelow, staysBelow } from './workspace.js';

/** Text of open, unsaved documents by absolute path. */
export type Overlay = Readonly<Record<string, string>>;

export class Reader {
  private readonly overlay: Map<string, string>;

  constructor(
    private readonly root: string,
    overlay: Overlay,
  ) {
    this.overlay = new Map(Object.entries(overlay).map(([file, text]) => [path.resolve(file), text]));
  }

  /**
   * @param at JSON path of what names the file, for errors
   * @param most bytes
   * @throws TaskError
   */
  async bytes(file: string, at: string, most: number): Promise<Uint8Array> {
    if (!isBelow(this.root, file)) throw outside(this.root, file, at);
    const unsaved = this.overlay.get(file);
    if (unsaved !== undefined) return Buffer.from(unsaved, 'utf8');
    try {
      if (!(await staysBelow(this.root, file))) throw outside(this.root, file, at);
      const info = await stat(file);
      if (info.isDirectory()) {
        const remedy = at.startsWith('$.files') ? `write ${path.basename(file)}/** for all in it` : 'name a file';
        throw new TaskError(at, `${file} is a folder: ${remedy}`);
      }
      if (!info.isFile()) throw new TaskError(at, `${file} is not a regular file`);
      if (info.size > most) throw new TaskError(at, `${file} has ${info.size} bytes; at most ${most} can be used`);
      return await readFile(file);
    } catch (error) {
      if (error instanceof TaskError) throw error;
      const { code, message } = error as NodeJS.ErrnoException;
      throw new TaskError(at, code === 'ENOENT' ? `there is no file ${file}` : `${file} cannot be read: ${message}`);
    }
  }

  /** As text, byte order mark included: it is part of the source. */
  async text(file: string, at: string, most: number): Promise<string> {
    const unsaved = this.overlay.get(file);
    const bytes = await this.bytes(file, at, most);
    if (unsaved !== undefined) return unsaved;
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      throw new TaskError(at, `${file} is not UTF-8: save it in that encoding, or editing would damage it`);
    }
  }
}

export function outside(root: string, named: string, at: string): TaskError {
  return new TaskError(
    at,
    `${named} lies outside ${root}: a task may use files of its workspace only (the folder with .git or .kernelseek)`,
  );
}
