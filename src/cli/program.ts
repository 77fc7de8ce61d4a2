// How this program was called, so that the commands it suggests work as they stand.
import path from 'node:path';

/**
 * `kernelseek` where a shell finds it by that name, else Node with the absolute path of the script.
 * @param script argv[1]: the path the program was started by
 */
export function programOf(script: string, env: Readonly<Record<string, string | undefined>>): string {
  const { dir, name } = path.parse(path.resolve(script));
  // What npx and npm scripts add to PATH is gone with them.
  const isLasting = env['npm_command'] === undefined && env['npm_lifecycle_event'] === undefined;
  const onPath = (env['PATH'] ?? '')
    .split(path.delimiter)
    .some((folder) => folder !== '' && path.resolve(folder) === dir);
  return name === 'kernelseek' && isLasting && onPath ? name : `node ${shellWord(path.resolve(script))}`;
}

/** One word for a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
