// The candidates of a session as commits in a bare repository beside its trace; the user's own repository is never touched.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { SimpleGit } from 'simple-git';
import { simpleGit } from 'simple-git';
import type { SourceFile } from '../../remote-runner/protocol.js';
import { FILES } from './place.js';

const IDENTITY = { name: 'KernelSeek', email: 'candidates@kernelseek.invalid' };

/** What git needs to run at all; everything else of the environment (editors, pagers, GIT_*, keys) is kept from it. */
const INHERITED = new Set(['PATH', 'HOME', 'USERPROFILE', 'SYSTEMROOT', 'TMPDIR', 'TEMP', 'TMP', 'LD_LIBRARY_PATH']);

export class History {
  private constructor(
    private readonly folder: string,
    private readonly gitDir: string,
    private readonly git: SimpleGit,
  ) {}

  /**
   * Opens the repository of a session, making it when it is not there yet.
   * @throws Error when git is missing or refuses
   */
  static async open(sessionFolder: string): Promise<History> {
    const gitDir = path.join(sessionFolder, FILES.candidates);
    await mkdir(gitDir, { recursive: true });
    const git = connect(sessionFolder, gitDir, path.join(gitDir, 'no-index'));
    try {
      // No template, no global and no system configuration: neither hooks nor settings of the user take part.
      await git.raw(['init', '--bare', '--quiet', '--template=', '--initial-branch=original']);
    } catch (error) {
      const reason = error instanceof Error ? error.message.trim() : String(error);
      const missing = /ENOENT/.test(reason);
      throw new Error(missing ? 'git was not found; install git 2.28 or newer' : `git in ${gitDir}: ${reason}`, {
        cause: error,
      });
    }
    return new History(sessionFolder, gitDir, git);
  }

  /**
   * Commits one version of the sources.
   * @param name `original`, or the candidate's id: the branch that names it
   * @param parents commits
   * @returns the commit
   */
  async commit(
    name: string,
    sources: readonly SourceFile[],
    parents: readonly string[],
    note: string,
  ): Promise<string> {
    const scratch = await mkdtemp(path.join(this.folder, 'commit-'));
    try {
      // simple-git has no way to feed standard input, so blobs are hashed from files, byte for byte.
      const files = await Promise.all(
        sources.map(async ({ text }, i) => {
          const file = path.join(scratch, String(i));
          await writeFile(file, text);
          return file;
        }),
      );
      const blobs = lines(await this.git.raw(['hash-object', '-w', '--no-filters', '--', ...files]));
      // An index of its own: one that a killed process left locked would be in the way for ever.
      const git = connect(this.folder, this.gitDir, path.join(scratch, 'index'));
      const entries = sources.flatMap(({ path: file }, i) => ['--cacheinfo', `100644,${blobs[i] ?? ''},${file}`]);
      await git.raw(['update-index', '--add', ...entries]);
      const tree = (await git.raw(['write-tree'])).trim();
      const message = path.join(scratch, 'message');
      await writeFile(message, `${note.trim() || name}\n`);
      const from = parents.flatMap((parent) => ['-p', objectName(parent)]);
      const commit = (await this.git.raw(['commit-tree', ...from, '-F', message, tree])).trim();
      await this.git.raw(['update-ref', `refs/heads/${name}`, commit]);
      return commit;
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }

  /** The sources of a commit, sorted by path. */
  async read(commit: string): Promise<SourceFile[]> {
    const names = (await this.git.raw(['ls-tree', '-r', '-z', '--name-only', objectName(commit)]))
      .split('\0')
      .filter(Boolean);
    const files: SourceFile[] = [];
    for (const file of names) {
      files.push({ path: file, text: await this.git.raw(['cat-file', 'blob', `${commit}:${file}`]) });
    }
    return files;
  }

  /** Commit of a name given to `commit`. */
  async find(name: string): Promise<string> {
    return (await this.git.raw(['rev-parse', '--verify', `refs/heads/${name}^{commit}`])).trim();
  }

  /** Unified diff from one commit to another. */
  async diff(from: string, to: string): Promise<string> {
    return this.git.raw([
      'diff',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
      objectName(from),
      objectName(to),
      '--',
    ]);
  }
}

/**
 * A commit as the trace names it. A trace may come with somebody's repository: `--output=FILE` would be an option.
 * @throws Error for anything else
 */
function objectName(commit: string): string {
  if (!/^[0-9a-f]{40,64}$/.test(commit)) throw new Error(`${JSON.stringify(commit)} is not the name of a commit`);
  return commit;
}

function connect(sessionFolder: string, gitDir: string, index: string): SimpleGit {
  const own = {
    GIT_DIR: gitDir,
    GIT_INDEX_FILE: index,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: process.platform === 'win32' ? 'NUL' : '/dev/null',
    // The repository may come with somebody's workspace: its hooks stay as they are, unrun.
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.hooksPath',
    GIT_CONFIG_VALUE_0: process.platform === 'win32' ? 'NUL' : '/dev/null',
    GIT_AUTHOR_NAME: IDENTITY.name,
    GIT_AUTHOR_EMAIL: IDENTITY.email,
    GIT_COMMITTER_NAME: IDENTITY.name,
    GIT_COMMITTER_EMAIL: IDENTITY.email,
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
  const git = simpleGit({
    baseDir: sessionFolder,
    maxConcurrentProcesses: 1,
    allowEnvironment: Object.keys(own),
    unsafe: {
      allowUnsafeTemplateDir: true,
      allowUnsafeConfigPaths: true,
      allowUnsafeConfigEnvCount: true,
      allowUnsafeHooksPath: true,
    },
  });
  const inherited = Object.entries(process.env).filter(([name]) => INHERITED.has(name.toUpperCase()));
  return git.env({ ...Object.fromEntries(inherited), ...own });
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
