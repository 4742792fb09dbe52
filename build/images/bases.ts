/** Base images made of Debian's packages and the Node that runs this, for machines that reach no registry of images. */
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

/** What the loader asks for when Node starts. */
const LIBRARIES = 'libc6,libstdc++6,libgcc-s1';

/** The arguments of the Containerfiles with images of this machine. */
export interface Bases {
  readonly NODE_IMAGE: string;
  readonly STATIC_IMAGE: string;
}

/** Needs root and mmdebstrap. @param storage the folder of buildah's images */
export async function makeBases(storage: string): Promise<Bases> {
  return { NODE_IMAGE: await makeNodeBase(storage), STATIC_IMAGE: await makeStaticBase(storage) };
}

async function makeNodeBase(storage: string): Promise<string> {
  return makeBase(storage, 'node', async context => {
    await debianRoot(join(context, 'root.tar'), ['--variant=apt']);
    // `…/npm/bin/npm-cli.js`, to which the name on PATH leads.
    const { stdout: npm } = await run('sh', ['-c', 'command -v npm']);
    await cp(dirname(dirname(await realpath(npm.trim()))), join(context, 'npm'), {
      recursive: true,
      dereference: true,
    });
  });
}

/** Without a shell and a package manager. */
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

/** The files of packages, with those that they need. Needs root and mmdebstrap. */
export async function debianRoot(archive: string, options: readonly string[]): Promise<void> {
  // Which it takes as the time of each file.
  const env = { ...process.env, SOURCE_DATE_EPOCH: '0' };
  // The files need not survive a power failure.
  const fixed = ['--mode=root', '--format=tar', '--quiet', '--dpkgopt=force-unsafe-io'];
  await run('mmdebstrap', [...fixed, ...options, SUITE, archive, ...SOURCES], { env });
}

/** @param fill puts into the context of the build what the Containerfile copies, besides Node */
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
