// One commit on a new branch of the user's repository, made beside index and work tree: neither is read or written.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { simpleGit, type SimpleGit } from 'simple-git';
import type { SourceFile } from '../../remote-runner/protocol.js';
import { withoutSecrets } from '../session/secrets.js';
import { CliError, EXIT, messageOf } from './exit.js';

export interface Branch {
  /** Folder that source paths are relative to. */
  workspace: string;
  branch: string;
  original: readonly SourceFile[];
  sources: readonly SourceFile[];
  /** Further files, relative to the workspace too. */
  papers: readonly SourceFile[];
  message: string;
}

/** Object id of nothing: a branch is created only where there is none. */
const NONE = '0'.repeat(40);

/**
 * @returns the commit
 * @throws CliError when there is no repository, the branch exists, or HEAD holds something else than the original
 */
export async function exportBranch(options: Branch): Promise<string> {
  const { workspace, branch, original, sources, papers, message } = options;
  const scratch = await mkdtemp(path.join(os.tmpdir(), 'kernelseek-export-'));
  const git = connect(workspace, path.join(scratch, 'index'));
  const ask = async (...args: string[]): Promise<string> => (await git.raw(args)).replace(/\n$/, '');
  try {
    const prefix = await ask('rev-parse', '--show-prefix').catch((error: unknown) => {
      throw new CliError(`${workspace} is in no git repository (${messageOf(error).trim()}); use --folder`);
    });
    if (branch.startsWith('-') || (await fails(ask('check-ref-format', `refs/heads/${branch}`)))) {
      throw new CliError(`"${branch}" cannot be the name of a branch`);
    }
    if (!(await fails(ask('rev-parse', '--verify', `refs/heads/${branch}`)))) {
      throw new CliError(`branch ${branch} exists already: nothing is overwritten; name another`, EXIT.bad);
    }
    const head = await ask('rev-parse', '--verify', 'HEAD^{commit}').catch(() => {
      throw new CliError('the repository has no commit yet to branch from; use --folder');
    });
    await ask('read-tree', head);
    for (const { path: name, text } of original) {
      const known = await git.raw(['cat-file', 'blob', `${head}:${prefix}${name}`]).catch(() => undefined);
      if (known === undefined || sameText(known, text)) continue;
      throw new CliError(
        `HEAD's ${name} is not what the session began with: a branch would undo what came since; use --folder`,
        EXIT.bad,
      );
    }
    for (const [i, { path: name, text }] of [...sources, ...papers].entries()) {
      const file = path.join(scratch, String(i));
      await writeFile(file, text);
      const at = `${prefix}${name}`;
      // As `git add` would: line ends and filters as the repository wants them for this path.
      const blob = await ask('hash-object', '-w', `--path=${at}`, '--', file);
      const mode = /^\d+/.exec(await ask('ls-tree', head, '--', at))?.[0] ?? '100644';
      await ask('update-index', '--add', '--cacheinfo', `${mode},${blob},${at}`);
    }
    const tree = await ask('write-tree');
    const text = path.join(scratch, 'message');
    await writeFile(text, `${message}\n`);
    const commit = await ask('commit-tree', '-p', head, '-F', text, tree);
    // Refused by git itself where somebody made the branch in the meantime.
    await ask('update-ref', `refs/heads/${branch}`, commit, NONE);
    return commit;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function fails(asked: Promise<unknown>): Promise<boolean> {
  return asked.then(
    () => false,
    () => true,
  );
}

/** The blob may hold other line ends than the work tree. */
function sameText(a: string, b: string): boolean {
  return a.replaceAll('\r\n', '\n') === b.replaceAll('\r\n', '\n');
}

/** The user's own git with the user's own identity, where there is one; no hooks, and an index of our own. */
function connect(workspace: string, index: string): SimpleGit {
  const own = {
    GIT_INDEX_FILE: index,
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.hooksPath',
    GIT_CONFIG_VALUE_0: process.platform === 'win32' ? 'NUL' : '/dev/null',
    LC_ALL: 'C',
  };
  const git = simpleGit({
    baseDir: workspace,
    maxConcurrentProcesses: 1,
    // Some refusals of git are an exit code without a word.
    errors: (error, { exitCode, stdErr }) =>
      error ?? (exitCode === 0 ? undefined : new Error(Buffer.concat(stdErr).toString() || `exit code ${exitCode}`)),
    allowEnvironment: Object.keys(own),
    unsafe: { allowUnsafeConfigEnvCount: true, allowUnsafeHooksPath: true },
  });
  const inherited = Object.entries(withoutSecrets(process.env)).filter(
    ([name]) => !/^(GIT_|EDITOR$|PAGER$)/.test(name),
  );
  return git.env({ ...Object.fromEntries(inherited), ...own });
}
