/** Bare git repositories, built commit by commit without a working tree, so that they can contain any tree. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The content of a file, or an entry of another mode: with its content, or with an id for a submodule. */
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
  /** By default the head of the branch. */
  readonly parents?: readonly string[];
  /** Git settings (`-c`) with which the commit is signed. */
  readonly sign?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly message?: string;
}

/** A branch that exists only while a signed commit is made. */
const UNSIGNED = 'refs/heads/unsigned';

/** The length of ids, by hash: a ref that is set to an id of zeros is deleted. */
const ZERO_DIGITS = { sha1: 40, sha256: 64 } as const;

const signs = (settings: readonly string[]) => (settings.length > 0 ? ['-S'] : []);

/** A repository that was made by `git` itself. */
export class TestRepository {
  readonly path: string;
  readonly #emptyHome: string;
  readonly #zero: string;

  constructor(folder: string, name: string, { objectFormat = 'sha1', head = 'main' }: TestRepositoryOptions = {}) {
    this.path = join(folder, name);
    this.#emptyHome = folder;
    this.#zero = '0'.repeat(ZERO_DIGITS[objectFormat]);
    const format = [`--object-format=${objectFormat}`, `--initial-branch=${head}`];
    this.git(['init', '--quiet', '--bare', '--template=', ...format, this.path]);
  }

  /** Commits to a branch, replacing its whole content. Returns the commit's id. */
  commit(
    entries: Readonly<Record<string, TreeEntry>>,
    branch = 'main',
    { parents: given, sign = [], env = {}, message = 'a commit' }: CommitOptions = {},
  ): string {
    const ref = `refs/heads/${branch}`;
    const parents = given ?? (this.#has(ref) ? [`${ref}^0`] : []);
    if (sign.length === 0 && Object.keys(env).length === 0) {
      return this.#import([...commitIn(ref, entries, message, parents), 'get-mark :1\n']);
    }
    // Only `commit-tree` can sign: it gets the tree of a commit that afterwards no ref names.
    const listed = this.#import([
      ...commitIn(UNSIGNED, entries, message, []),
      `ls :1 ""\nreset ${UNSIGNED}\nfrom ${this.#zero}\n\n`,
    ]);
    const tree = /^040000 tree (\w+)/.exec(listed)?.[1] ?? '';
    const commit = this.git(
      [...sign, 'commit-tree', ...signs(sign), tree, ...parents.flatMap(id => ['-p', id])],
      message,
      env,
    );
    this.git(['update-ref', ref, commit]);
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

  /** Runs `git fast-import` with these commands in one process: plumbing commands need one for each object. Returns the output. */
  #import(commands: readonly (string | Buffer)[]): string {
    const input = Buffer.concat(commands.map(command => Buffer.from(command)));
    return this.git(['fast-import', '--quiet', '--force', '--date-format=now'], input);
  }

  #has(ref: string): boolean {
    if (statSync(join(this.path, ref), { throwIfNoEntry: false })?.isFile() === true) return true;
    const packed = join(this.path, 'packed-refs');
    return existsSync(packed) && readFileSync(packed, 'utf8').includes(` ${ref}\n`);
  }
}

/** `git fast-import` commands for a commit, as `:1`. */
function commitIn(
  ref: string,
  entries: Readonly<Record<string, TreeEntry>>,
  message: string,
  [first, ...others]: readonly string[],
): readonly (string | Buffer)[] {
  return [
    `reset ${ref}\n`,
    `commit ${ref}\nmark :1\ncommitter test <test@example.com> now\n`,
    ...dataOf(message),
    first === undefined ? '' : `from ${first}\n`,
    ...others.map(id => `merge ${id}\n`),
    'deleteall\n',
    ...Object.entries(entries).flatMap(([path, entry]) => changeOf(quoted(path), entry)),
    '\n',
  ];
}

function changeOf(path: string, entry: TreeEntry): readonly (string | Buffer)[] {
  if (typeof entry === 'object' && 'commit' in entry) return [`M 160000 ${entry.commit} ${path}\n`];
  if (typeof entry === 'object' && 'mode' in entry) return [`M ${entry.mode} inline ${path}\n`, ...dataOf(entry.text)];
  return [`M 100644 inline ${path}\n`, ...dataOf(entry)];
}

const dataOf = (content: string | Buffer): readonly (string | Buffer)[] => [
  `data ${Buffer.byteLength(content)}\n`,
  content,
  '\n',
];

const quoted = (path: string): string => `"${path.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
