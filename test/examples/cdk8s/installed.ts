/** `examples/cdk8s` out of the package that `npm pack` makes, with the package installed beside it: no source of ours, and no network. */
import { execFile } from 'node:child_process';
import { cp, readdir, symlink } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { type Outcome, ROOT, TemporaryFolder, temporaryFolder } from '../../support/process.ts';

/** What a registry would give; with whatever they need themselves. */
const PEERS = ['cdk8s', 'constructs', 'esbuild', 'typescript', 'vitest', 'jest', '@jest'];
const PROGRAMS = { tsc: 'typescript/bin/tsc', vitest: 'vitest/vitest.mjs', jest: 'jest/bin/jest.js' };

/** Far more than anything takes: machines are busy. Milliseconds. */
export const LIMIT_MS = 120_000;

/** The repository of the example, removed by `await using`. */
export class InstalledExample implements AsyncDisposable {
  readonly repository: TemporaryFolder;
  readonly #outer: TemporaryFolder;

  constructor(outer: TemporaryFolder, name: string) {
    this.#outer = outer;
    this.repository = new TemporaryFolder(outer.file(name));
  }

  /** Runs a line of a shell as a pipeline does, to its end. */
  shell(line: string): Promise<Outcome> {
    const env = {
      PATH: [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
      HOME: this.#outer.path,
      CI: 'true',
      NO_COLOR: '1',
      GITHUB_STEP_SUMMARY: this.#outer.file('summary.md'),
    };
    return execute('bash', ['-eo', 'pipefail', '-c', line], this.repository.path, env);
  }

  lintel(args: string): Promise<Outcome> {
    return this.shell(`npx --no -- lintel ${args}`);
  }

  /** The same repository in another folder, without what was made in this one. */
  async copy(name: string): Promise<InstalledExample> {
    const copy = new InstalledExample(this.#outer, name);
    await cp(this.repository.file('node_modules/lintel/examples/cdk8s'), copy.repository.path, { recursive: true });
    await symlink(this.repository.file('node_modules'), copy.repository.file('node_modules'));
    return copy;
  }

  get summary(): string {
    return this.#outer.file('summary.md');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#outer[Symbol.asyncDispose]();
  }
}

export async function installExample(): Promise<InstalledExample> {
  const outer = await temporaryFolder({ 'repository/package.json': '{ "private": true }' });
  const example = new InstalledExample(outer, 'repository');
  const { repository } = example;
  // Without `prepare`: the tests build before.
  await succeeded(example.shell(`npm pack '${ROOT}' --ignore-scripts --silent`));
  await succeeded(example.shell('npm install --offline --ignore-scripts --no-audit --no-fund ./lintel-*.tgz'));
  const installed = repository.file('node_modules');
  for (const name of PEERS) await symlink(join(ROOT, 'node_modules', name), join(installed, name));
  for (const [name, file] of Object.entries(PROGRAMS)) {
    await symlink(join(ROOT, 'node_modules', file), join(installed, '.bin', name));
  }
  await cp(join(installed, 'lintel/examples/cdk8s'), repository.path, { recursive: true });
  return example;
}

/** Digests of bundles by `namespace/name`, out of the index that `lintel build` writes. */
export async function bundlesIn(folder: string): Promise<readonly string[]> {
  const found = await readdir(join(folder, 'bundles'), { recursive: true });
  return found.filter(path => path.endsWith('/bundle.json')).sort();
}

async function succeeded(outcome: Promise<Outcome>): Promise<void> {
  const { code, stdout, stderr } = await outcome;
  if (code !== 0) throw new Error(`exit code ${code}: ${stdout}${stderr}`);
}

function execute(file: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = execFile(file, args, { cwd, env, timeout: LIMIT_MS }, (error, stdout, stderr) => {
      if (typeof error?.code === 'string') reject(error);
      else resolve({ code: child.exitCode, stdout, stderr });
    });
  });
}
