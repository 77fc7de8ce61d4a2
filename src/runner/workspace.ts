// How far a task may reach: the workspace root, and paths that are held below it, symbolic links resolved.
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';

/** The nearest folder at or above `folder` that holds `.git`, else one that holds `.kernelseek`, else `folder`. */
export function workspaceRoot(folder: string): string {
  return above(folder, '.git') ?? above(folder, '.kernelseek') ?? folder;
}

function above(folder: string, name: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    if (existsSync(path.join(at, name))) return at;
    if (at === path.dirname(at)) return undefined;
  }
}

export function isBelow(root: string, file: string): boolean {
  const relative = path.relative(root, file);
  return relative === '' || (!relative.startsWith(`..${path.sep}`) && relative !== '..' && !path.isAbsolute(relative));
}

/** True when `file` lies below `root` both as written and with every symbolic link resolved. */
export async function staysBelow(root: string, file: string): Promise<boolean> {
  return isBelow(root, file) && isBelow(await realpath(root), await realpath(file));
}

/** Relative to `root`, with `/` between folders, as paths travel. */
export function wirePath(root: string, file: string): string {
  return path.relative(root, file).split(path.sep).join('/');
}
