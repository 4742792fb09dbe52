/** Copies of `examples/ci`, and the environment of its commands: a shell, a runner's variables, git. */
import { execFile } from 'node:child_process';
import { chmod, cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { parse } from 'yaml';
import { type Outcome, PROGRAM, ROOT, TemporaryFolder, temporaryFolder } from '../../support/process.ts';

const EXAMPLE = join(ROOT, 'examples', 'ci');

/** A stub of npm: `npm ci` has nothing to install, and the tests expect no other call. */
const NPM = `#!/bin/sh
[ "$*" = "ci --ignore-scripts" ] && exit 0
echo "npm $*: not expected" >&2
exit 64
`;

/**
 * A stub of npx. It demands `--no`, without which npx would download another package of that name where Lintel is not installed. The example's
 * hosts do not exist, so the stub directs `lintel lock` to the test's servers.
 */
const NPX = `#!/bin/sh
if [ "$1" = --no ] && [ "$2" = -- ] && [ "$3" = lintel ]; then shift 3; else
  echo "npx $*: not expected" >&2
  exit 64
fi
[ "$1" = lock ] && set -- "$@" $BACKEND_URLS
exec '${process.execPath}' '${PROGRAM.lintel}' "$@"
`;

/** A stub of Debian's package manager in a job's container, where git is installed already. */
const APT_GET = `#!/bin/sh
case "$*" in "update -qq" | "install -y -qq --no-install-recommends git") exit 0 ;; esac
echo "apt-get $*: not expected" >&2
exit 64
`;

/** A copy of the example; `await using` removes it. Commands run in its `repository`. */
export interface Example extends AsyncDisposable {
  readonly repository: TemporaryFolder;
  /** The file that `$GITHUB_STEP_SUMMARY` names. */
  readonly summary: string;
  /** Runs a script with `bash` or `sh` until it exits, with additional environment variables. */
  shell(argv: readonly [string, ...string[]], env?: Readonly<Record<string, string>>): Promise<Outcome>;
  /** Replaces a text in a file; fails if the text is missing. */
  edit(file: string, before: string, after: string): Promise<void>;
}

/** @param urls of the backends for `lintel lock`, by name */
export async function copyExample(urls: readonly (readonly [name: string, url: string])[] = []): Promise<Example> {
  const outer = await temporaryFolder({
    'bin/npm': NPM,
    'bin/npx': NPX,
    'bin/apt-get': APT_GET,
    'summary.md': 'Before.\n',
    'home/.keep': '',
    'runner/.keep': '',
  });
  for (const name of ['npm', 'npx', 'apt-get']) await chmod(outer.file(`bin/${name}`), 0o755);
  const repository = new TemporaryFolder(outer.file('repository'));
  await cp(EXAMPLE, repository.path, { recursive: true });
  await repository.write({ '.gitignore': 'node_modules/\n', 'node_modules/.bin/.keep': '' });
  await symlink(PROGRAM.lintel, repository.file('node_modules/.bin/lintel'));
  await symlink(ROOT, repository.file('node_modules/lintel'));
  const summary = outer.file('summary.md');
  const env = {
    PATH: [outer.file('bin'), dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
    HOME: outer.file('home'),
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    CI: 'true',
    GITHUB_STEP_SUMMARY: summary,
    BACKEND_URLS: urls.map(([name, url]) => `--url ${name}=${url}`).join(' '),
    RUNNER_TEMP: outer.file('runner'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Test',
    GIT_AUTHOR_EMAIL: 'test@example.com',
    GIT_COMMITTER_NAME: 'Test',
    GIT_COMMITTER_EMAIL: 'test@example.com',
  };
  return {
    repository,
    summary,
    shell: ([file, ...args], more) => execute(file, args, repository.path, { ...env, ...more }),
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
    const child = execFile(file, args, { cwd, env, timeout: 100_000 }, (error, stdout, stderr) => {
      if (typeof error?.code === 'string') reject(error);
      else resolve({ code: child.exitCode, stdout, stderr });
    });
  });
}
