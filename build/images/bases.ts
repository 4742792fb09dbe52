/** Base images built from Debian packages and the Node that runs this script, for machines that cannot reach an image registry. */
import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { buildah } from './buildah.ts';

const run = promisify(execFile);

const SUITE = 'bookworm';
const SOURCES = [
  `deb http://deb.debian.org/debian ${SUITE} main`,
  `deb http://deb.debian.org/debian-security ${SUITE}-security main`,
];

/** Libraries that the dynamic loader needs to start Node. */
const LIBRARIES = 'libc6,libstdc++6,libgcc-s1';

/** Build arguments of the Containerfiles that name images of this machine. */
export interface Bases {
  readonly NODE_IMAGE: string;
  readonly STATIC_IMAGE: string;
}

/** Makes the base images, which needs root and mmdebstrap. @param storage the folder of buildah's images */
export async function makeBases(storage: string): Promise<Bases> {
  return { NODE_IMAGE: await makeNodeBase(storage), STATIC_IMAGE: await makeStaticBase(storage) };
}

async function makeNodeBase(storage: string): Promise<string> {
  return makeBase(storage, 'node', async context => {
    await debianRoot(join(context, 'root.tar'), ['--variant=apt']);
    // The `npm` on PATH is a link to `…/npm/bin/npm-cli.js`.
    const { stdout: npm } = await run('sh', ['-c', 'command -v npm']);
    await cp(dirname(dirname(await realpath(npm.trim()))), join(context, 'npm'), {
      recursive: true,
      dereference: true,
    });
  });
}

/** A base image without a shell and a package manager. */
export async function makeStaticBase(storage: string): Promise<string> {
  return makeBase(storage, 'static', async context => {
    await debianRoot(join(context, 'root.tar'), ['--variant=extract', `--include=${LIBRARIES}`]);
    const people = join(context, 'people');
    await mkdir(join(people, 'etc'), { recursive: true });
    await mkdir(join(people, 'home/nonroot'), { recursive: true });
    await writeFile(
      join(people, 'etc/passwd'),
      'root:x:0:0::/root:/sbin/nologin\nnonroot:x:65532:65532::/home/nonroot:/sbin/nologin\n',
    );
    await writeFile(join(people, 'etc/group'), 'root:x:0:\nnonroot:x:65532:\n');
  });
}

/** The files of packages and their dependencies. Needs root and mmdebstrap. */
export async function debianRoot(archive: string, options: readonly string[]): Promise<void> {
  // mmdebstrap sets the time of each file to this.
  const env = { ...process.env, SOURCE_DATE_EPOCH: '0' };
  // Skips `fsync`: the files need not survive a power failure.
  const fixed = ['--mode=root', '--format=tar', '--quiet', '--dpkgopt=force-unsafe-io'];
  await run('mmdebstrap', [...fixed, ...options, SUITE, archive, ...SOURCES], { env });
}

/** @param fill adds the files that the Containerfile copies, besides Node, to the build context */
async function makeBase(storage: string, name: string, fill: (context: string) => Promise<void>): Promise<string> {
  const image = `localhost/lintel-base-${name}:${SUITE}`;
  const context = await mkdtemp(join(tmpdir(), 'lintel-base-'));
  try {
    await copyFile(await realpath(process.execPath), join(context, 'node'));
    await fill(context);
    const file = join(import.meta.dirname, 'bases', `${name}.Containerfile`);
    await buildah(storage, ['bud', '--timestamp', '0', '--file', file, '--tag', image, context]);
    return image;
  } finally {
    await rm(context, { recursive: true, force: true });
  }
}
