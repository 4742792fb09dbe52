/** Copies of `examples/ci`, and what its commands meet where they run: a shell, a runner's environment, git. */
import { execFile } from 'node:child_process';
import { chmod, cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { parse } from 'yaml';
import { type Outcome, PROGRAM, ROOT, TemporaryFolder, temporaryFolder } from '../../support/process.ts';

const EXAMPLE = join(ROOT, 'examples', 'ci');

/** `npm ci` has nothing to install; any other call is one that the tests do not know. */
const NPM = `#!/bin/sh
[ "$*" = ci ] && exit 0
echo "npm $*: not expected" >&2
exit 64
`;

/** Without `--no`, npx would download a stranger's package of the name where ours is not installed. */
const NPX = `#!/bin/sh
if [ "$1" = --no ] && [ "$2" = -- ] && [ "$3" = lintel ]; then shift 3; else
  echo "npx $*: not expected" >&2
  exit 64
fi
exec '${process.execPath}' '${PROGRAM.lintel}' "$@"
`;

/** A copy of the example, removed by `await using`. Its `repository` is where commands run. */
export interface Example extends AsyncDisposable {
  readonly repository: TemporaryFolder;
  /** The file that `$GITHUB_STEP_SUMMARY` names. */
  readonly summary: string;
  /** Runs a script to its end, by `bash` or `sh`. */
  shell(argv: readonly [string, ...string[]]): Promise<Outcome>;
  /** Replaces a text of a file; fails if it is not there. */
  edit(file: string, before: string, after: string): Promise<void>;
}

export async function copyExample(): Promise<Example> {
  const outer = await temporaryFolder({ 'bin/npm': NPM, 'bin/npx': NPX, 'summary.md': 'Before.\n', 'home/.keep': '' });
  for (const name of ['npm', 'npx']) await chmod(outer.file(`bin/${name}`), 0o755);
  const repository = new TemporaryFolder(outer.file('repository'));
  await cp(EXAMPLE, repository.path, { recursive: true });
  await repository.write({ '.gitignore': 'node_modules/\n', 'node_modules/.bin/.keep': '' });
  await symlink(PROGRAM.lintel, repository.file('node_modules/.bin/lintel'));
  const summary = outer.file('summary.md');
  const env = {
    PATH: [outer.file('bin'), dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
    HOME: outer.file('home'),
    CI: 'true',
    GITHUB_STEP_SUMMARY: summary,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Test',
    GIT_AUTHOR_EMAIL: 'test@example.com',
    GIT_COMMITTER_NAME: 'Test',
    GIT_COMMITTER_EMAIL: 'test@example.com',
  };
  return {
    repository,
    summary,
    shell: ([file, ...args]) => execute(file, args, repository.path, env),
    edit: async (file, before, after) => {
      const text = await readFile(repository.file(file), 'utf8');
      if (!text.includes(before)) throw new Error(`${file} does not contain ${JSON.stringify(before)}`);
      await writeFile(repository.file(file), text.replace(before, after));
    },
    [Symbol.asyncDispose]: () => outer[Symbol.asyncDispose](),
  };
}

/** A YAML file of the example. */
export async function readYaml<T>(file: string): Promise<T> {
  return parse(await readFile(join(EXAMPLE, file), 'utf8')) as T;
}

/** A file of the example, as text. */
export function readExample(file: string): Promise<string> {
  return readFile(join(EXAMPLE, file), 'utf8');
}

function execute(file: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = execFile(file, args, { cwd, env, timeout: 15_000 }, (error, stdout, stderr) => {
      if (typeof error?.code === 'string') reject(error);
      else resolve({ code: child.exitCode, stdout, stderr });
    });
  });
}
