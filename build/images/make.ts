/** Builds the images of the programs in `dist/` from their Containerfiles. The same files give the same digests. */
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Bases } from './bases.ts';
import { buildah } from './buildah.ts';

const ROOT = resolve(import.meta.dirname, '../..');

export interface ImageTarget {
  /** The path of the Containerfile, from the root of the repository. */
  readonly containerfile: string;
  /** The last stage of the Containerfile. */
  readonly stage: string;
  /** The name of the image without its version. */
  readonly image: string;
}

export const IMAGES: readonly ImageTarget[] = [
  { containerfile: 'compiler/Containerfile', stage: 'lintel', image: 'lintel' },
  { containerfile: 'bridge/Containerfile', stage: 'bridge', image: 'lintel-bridge' },
  { containerfile: 'controller/Containerfile', stage: 'controller', image: 'lintel-controller' },
  { containerfile: 'runtime/Containerfile', stage: 'runtime', image: 'lintel-runtime' },
  { containerfile: 'runtime/Containerfile', stage: 'with-git', image: 'lintel-runtime-with-git' },
];

/**
 * Makes an image. The first stage of the Containerfile, which builds the programs, is skipped: `dist/` already has them.
 *
 * @param bases replace the base images that the Containerfile names
 * @returns the name of the image
 * @throws Error when `dist/` was not built
 */
export async function makeImage(
  storage: string,
  { containerfile, stage, image }: ImageTarget,
  bases: Partial<Bases> = {},
): Promise<string> {
  const file = join(ROOT, containerfile);
  const name = `localhost/${image}:${await version()}`;
  const built = await mkdtemp(join(tmpdir(), 'lintel-image-'));
  try {
    for (const path of copiedFrom(await readFile(file, 'utf8'))) {
      await mkdir(dirname(join(built, path)), { recursive: true });
      await cp(join(ROOT, path.replace(/^src\//, '')), join(built, path), { recursive: true });
    }
    const buildArguments = Object.entries(bases).flatMap(([argument, base]) => ['--build-arg', `${argument}=${base}`]);
    const from = ['--build-context', `build=${built}`, '--target', stage, '--file', file];
    await buildah(storage, ['bud', '--timestamp', '0', '--no-cache', ...buildArguments, ...from, '--tag', name, built]);
    return name;
  } finally {
    await rm(built, { recursive: true, force: true });
  }
}

/** The files and folders of the repository that an image contains. */
export async function listTakenFiles({ containerfile }: ImageTarget): Promise<readonly string[]> {
  const paths = copiedFrom(await readFile(join(ROOT, containerfile), 'utf8'));
  return paths.map(path => path.replace(/^src\//, ''));
}

/** Paths copied from the stage `build`, without the leading slash. */
function copiedFrom(containerfile: string): readonly string[] {
  const lines = [...containerfile.matchAll(/^COPY --from=build (.+) \S+$/gm)];
  return [...new Set(lines.flatMap(([, paths = '']) => paths.split(' ')))].map(path => path.slice(1));
}

async function version(): Promise<string> {
  return JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')).version;
}
