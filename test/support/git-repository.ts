/** Bare git repositories, made commit by commit without a working tree, so that anything a tree can hold can be in them. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Contents of a file, or an entry of another mode with its contents, or with an id for a submodule. */
export type TreeEntry =
  | string
  | Buffer
  | { readonly mode: '100755' | '120000'; readonly text: string }
  | { readonly commit: string };

export interface TestRepositoryOptions {
  readonly objectFormat?: 'sha1' | 'sha256';
  /** The default branch; `main` unless given. */
  readonly head?: string;
}

export interface CommitOptions {
  /** Default: what the branch has. */
  readonly parents?: readonly string[];
  /** Settings of git (`-c`) by which it is signed. */
  readonly sign?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly message?: string;
}

const signs = (settings: readonly string[]) => (settings.length > 0 ? ['-S'] : []);

/** A repository that `git` itself has made. */
export class TestRepository {
  readonly path: string;
  readonly #emptyHome: string;

  constructor(folder: string, name: string, { objectFormat = 'sha1', head = 'main' }: TestRepositoryOptions = {}) {
    this.path = join(folder, name);
    this.#emptyHome = folder;
    this.git(['init', '--quiet', '--bare', '--template=', `--object-format=${objectFormat}`, this.path]);
    this.git(['symbolic-ref', 'HEAD', `refs/heads/${head}`]);
  }

  /** A commit on a branch, in place of all that the branch had. Gives its id. */
  commit(
    entries: Readonly<Record<string, TreeEntry>>,
    branch = 'main',
    { parents: given, sign = [], env = {}, message = 'a commit' }: CommitOptions = {},
  ): string {
    const index = { GIT_INDEX_FILE: join(this.path, 'test-index') };
    this.git(['read-tree', '--empty'], '', index);
    for (const [path, entry] of Object.entries(entries))
      this.git(['update-index', '--add', '--cacheinfo', `${this.#object(entry)},${path}`], '', index);
    const tree = this.git(['write-tree', '--missing-ok'], '', index);
    const parents = given ?? this.#tryGit(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]);
    const commit = this.git(
      [...sign, 'commit-tree', ...signs(sign), tree, ...parents.flatMap(id => ['-p', id])],
      message,
      env,
    );
    this.git(['update-ref', `refs/heads/${branch}`, commit]);
    return commit;
  }

  git(args: readonly string[], input: string | Buffer = '', env: Readonly<Record<string, string>> = {}): string {
    const settings = {
      HOME: this.#emptyHome,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'test',
      GIT_AUTHOR_EMAIL: 'test@example.com',
      GIT_COMMITTER_NAME: 'test',
      GIT_COMMITTER_EMAIL: 'test@example.com',
    };
    const where = args[0] === 'init' ? {} : { GIT_DIR: this.path };
    const options = { input, env: { PATH: process.env.PATH, ...settings, ...where, ...env }, cwd: this.#emptyHome };
    return execFileSync('git', args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] })
      .toString('utf8')
      .trim();
  }

  #tryGit(args: readonly string[]): string[] {
    try {
      return [this.git(args)];
    } catch {
      return [];
    }
  }

  #object(entry: TreeEntry): string {
    if (typeof entry === 'object' && 'commit' in entry) return `160000,${entry.commit}`;
    const hasMode = typeof entry === 'object' && 'mode' in entry;
    const id = this.git(['hash-object', '-w', '--stdin'], hasMode ? entry.text : entry);
    return `${hasMode ? entry.mode : '100644'},${id}`;
  }
}
