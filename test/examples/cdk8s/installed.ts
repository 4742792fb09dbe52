/** `examples/cdk8s` from the package as npm installs it into an empty folder: no source of Lintel, and no link. */
import { execFile } from 'node:child_process';
import { cp, readdir, readFile, symlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { pack } from '../../../build/package/pack.ts';
import { missingPackages } from '../../peers/missing-packages.ts';
import { type Outcome, ROOT, TemporaryFolder, temporaryFolder } from '../../support/process.ts';

/** Much longer than any command, because machines are busy. Milliseconds. */
export const LIMIT_MS = 600_000;

/** The repository of the example; `await using` removes it. */
export class InstalledExample implements AsyncDisposable {
  readonly repository: TemporaryFolder;
  readonly #outer: TemporaryFolder;

  constructor(outer: TemporaryFolder, name: string) {
    this.#outer = outer;
    this.repository = new TemporaryFolder(outer.file(name));
  }

  /** Runs a shell command as a pipeline does, until it exits. */
  shell(line: string): Promise<Outcome> {
    const env = {
      PATH: [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
      HOME: this.#outer.path,
      // The cache that this repository's `npm ci` has filled.
      npm_config_cache: process.env.npm_config_cache ?? join(homedir(), '.npm'),
      npm_config_prefer_offline: 'true',
      CI: 'true',
      NO_COLOR: '1',
      GITHUB_STEP_SUMMARY: this.#outer.file('summary.md'),
    };
    return execute('bash', ['-eo', 'pipefail', '-c', line], this.repository.path, env);
  }

  lintel(args: string): Promise<Outcome> {
    return this.shell(`npx --no -- lintel ${args}`);
  }

  /** Copies the repository to another folder, without generated files. */
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
  const outer = await temporaryFolder({ 'package/package.json': '{ "private": true }' });
  const example = new InstalledExample(outer, 'repository');
  await pack(outer.file('package'));
  await succeeded(new InstalledExample(outer, 'package').shell('tar -xzf lintel-*.tgz'));
  await cp(outer.file('package/package/examples/cdk8s'), example.repository.path, { recursive: true });
  await succeeded(example.shell('mv ../package/lintel-*.tgz .'));
  await lockVersions(example.repository);
  await succeeded(example.shell('npm install --no-audit --no-fund'));
  return example;
}

/**
 * The example's own version ranges, and jest where it is installed, at the versions that this repository tests: npm removes packages without a
 * dependent.
 */
async function lockVersions(repository: TemporaryFolder): Promise<void> {
  const [peers, lock, example] = await Promise.all(
    [
      join(ROOT, 'test/peers/packages/package.json'),
      join(ROOT, 'package-lock.json'),
      repository.file('package.json'),
    ].map(readJson),
  );
  const jest = missingPackages().includes('jest') ? {} : { jest: peers.devDependencies.jest };
  const devDependencies = { ...example.devDependencies, ...jest };
  const { lintel: _, ...locked } = devDependencies;
  const root = { name: example.name, devDependencies: locked };
  await repository.write({
    'package.json': JSON.stringify({ ...example, devDependencies }),
    'package-lock.json': JSON.stringify({ ...lock, ...root, packages: { ...lock.packages, '': root } }),
  });
}

const readJson = async (path: string) => JSON.parse(await readFile(path, 'utf8'));

/** Digests of bundles by `namespace/name`, from the index that `lintel build` writes. */
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
