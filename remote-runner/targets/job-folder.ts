// Lays a build's files out on disk: sources, read-only files and the trampoline below FOLDER/job.
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { BuildRequest } from './toolchain.js';

/** The generated file that includes the sources and makes the calls. */
export const TRAMPOLINE = 'ks_trampoline.cu';

/** Writes `text` where `relative` says below `root`; the protocol has refused paths that leave it, this makes sure. */
export function below(root: string, relative: string): string {
  const target = path.resolve(root, relative);
  if (target !== root && !target.startsWith(root + path.sep)) throw new Error(`${relative} leaves the job folder`);
  return target;
}

/**
 * @param rewrite turns a file's text into what is compiled; identity for CUDA
 * @returns the folder to compile in, where `ks_trampoline.cu` lies
 */
export async function layOutJob(
  request: BuildRequest,
  rewrite?: (path: string, text: string) => string,
): Promise<string> {
  const root = path.join(request.folder, 'job');
  const work = below(root, request.directory);
  await mkdir(work, { recursive: true });
  for (const file of request.files) {
    const target = below(root, file.path);
    await mkdir(path.dirname(target), { recursive: true });
    await copyFile(file.stored, target);
  }
  for (const source of request.sources) {
    const target = below(root, source.path);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, rewrite ? rewrite(source.path, source.text) : source.text);
  }
  const trampoline = path.join(work, TRAMPOLINE);
  await writeFile(trampoline, rewrite ? rewrite(TRAMPOLINE, request.trampoline) : request.trampoline);
  return work;
}
