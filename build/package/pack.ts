/** The package as published to npm: the files that `files` lists, and a manifest without scripts, since nothing is left to build. */
import { execFile } from 'node:child_process';
import { cp, glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { ignoreStep, type LogStep } from '../log-step.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Scripts for this repository only. npm warns of `prepare` when it installs a tarball, and asks the user to approve it. */
const OURS_ALONE = ['scripts', 'devDependencies', 'workspaces', 'allowScripts'];

export interface PackedTarball {
  readonly file: string;
  /** Size of the tarball and of its content, in bytes. */
  readonly size: number;
  readonly unpackedSize: number;
  readonly paths: readonly string[];
}

/**
 * Writes the tarball into a folder, which is created if it is missing. The same files give the same bytes.
 *
 * @throws Error when `dist/` was not built
 */
export async function pack(destination: string, logStep: LogStep = ignoreStep): Promise<PackedTarball> {
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    readonly files: readonly string[];
    readonly bin: Readonly<Record<string, string>>;
  };
  await Promise.all(
    Object.values(manifest.bin).map(program =>
      readFile(join(ROOT, program)).catch(() => {
        throw new Error(`${program} is missing: run \`npm run build\``);
      }),
    ),
  );
  const stage = await mkdtemp(join(tmpdir(), 'lintel-package-'));
  try {
    for await (const path of glob([...manifest.files], { cwd: ROOT })) {
      await mkdir(dirname(join(stage, path)), { recursive: true });
      await cp(join(ROOT, path), join(stage, path), { recursive: true });
    }
    const published = Object.entries(manifest).filter(([member]) => !OURS_ALONE.includes(member));
    await writeFile(join(stage, 'package.json'), `${JSON.stringify(Object.fromEntries(published), null, 2)}\n`);
    await mkdir(destination, { recursive: true });
    logStep('packing the files with npm');
    const args = ['pack', stage, '--json', '--ignore-scripts', '--pack-destination', resolve(destination)];
    const { stdout } = await promisify(execFile)('npm', args, { cwd: stage, maxBuffer: 64 * 1024 * 1024 });
    const [{ filename, size, unpackedSize, files }] = JSON.parse(stdout);
    return {
      file: join(resolve(destination), filename),
      size,
      unpackedSize,
      paths: files.map(({ path }: { path: string }) => path).sort(),
    };
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}
