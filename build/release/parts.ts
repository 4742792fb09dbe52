/** The parts of a release; each is one or several files. */
import { execFile } from 'node:child_process';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { listFiles, writeTar } from '../archives/tar.ts';
import { chartFiles } from '../chart/chart-files.ts';
import { findMissingTools } from '../images/tools.ts';
import { pack } from '../package/pack.ts';

export interface MadeFile {
  /** The name of the file in the folder of the release. */
  readonly name: string;
  /** The contained files, relative to the root of the repository; a folder stands for everything in it. */
  readonly paths: readonly string[];
  /** Folders of contained packages beyond those in `dist/`, relative to the root. */
  readonly packages?: readonly string[];
  readonly hasNode?: boolean;
}

export interface ReleaseContext {
  readonly root: string;
  readonly version: string;
  /** An absolute path to an existing folder. */
  readonly folder: string;
  /** Whether base images are built from Debian packages. */
  readonly isOnDebian: boolean;
}

export interface ReleasePart {
  readonly name: string;
  readonly what: string;
  /** Why this machine cannot make the part; undefined when it can. */
  missing?(context: Pick<ReleaseContext, 'isOnDebian'>): string | undefined;
  make(context: ReleaseContext): Promise<readonly MadeFile[]>;
}

export const PARTS: readonly ReleasePart[] = [
  {
    name: 'npm',
    what: 'the npm package',
    make: async ({ folder }) => {
      const { file, paths } = await pack(folder);
      return [{ name: basename(file), paths }];
    },
  },
  {
    name: 'chart',
    what: 'the Helm chart of the controller, as helm package writes it',
    make: async ({ root, version, folder }) => {
      const name = `lintel-controller-${version}.tgz`;
      const files = [...chartFiles(root)].map(([path, text]) => ({
        path: `lintel-controller/${path}`,
        content: Buffer.from(text),
      }));
      await writeTar(join(folder, name), files);
      return [{ name, paths: [] }];
    },
  },
  {
    name: 'vsix',
    what: 'the extension for VS Code',
    make: async ({ folder }) => {
      // Imported only here, because the module needs packages that `npm ci` leaves out. The same holds for the parts below.
      const { makeVsix } = await import('../vscode/vsix.ts');
      const { file, files, packages } = await makeVsix(folder);
      const inside = [...files.keys()].map(path => path.replace(/^extension\/server\//, ''));
      return [{ name: basename(file), paths: inside, packages }];
    },
  },
  {
    name: 'site',
    what: 'the documentation as a site',
    make: async ({ root, version, folder }) => {
      const work = await mkdtemp(join(tmpdir(), 'lintel-site-'));
      try {
        // Eleventy changes global state of its process, so it runs in a process of its own.
        const args = ['--conditions=lintel-source', 'build/site/main.ts', join(work, 'site')];
        await promisify(execFile)(process.execPath, args, { cwd: root });
        const name = `lintel-${version}-site.tar.gz`;
        await writeTar(join(folder, name), listFiles(join(work, 'site'), 'lintel-site/'));
        // The search script of the site contains this package.
        return [{ name, paths: [], packages: ['node_modules/minisearch'] }];
      } finally {
        await rm(work, { recursive: true, force: true });
      }
    },
  },
  {
    name: 'executables',
    what: 'lintel and lintel-bridge as single executables, for the system that this runs on',
    make: async ({ version, folder }) => {
      const { makeExecutables } = await import('../executables/make.ts');
      const made: MadeFile[] = [];
      for (const { name: program, file, paths } of await makeExecutables(folder)) {
        const name = `${program}-${version}-${process.platform}-${process.arch}`;
        await rename(file, join(folder, name));
        made.push({ name, paths, hasNode: true });
      }
      return made;
    },
  },
  {
    name: 'images',
    what: 'the images as archives of OCI; what comes with their bases is in no bill of materials of ours',
    missing: ({ isOnDebian }) => findMissingTools(isOnDebian),
    make: async ({ version, folder, isOnDebian }) => {
      const [{ makeImageArchives }, { IMAGES, listTakenFiles }] = await Promise.all([
        import('../images/archives.ts'),
        import('../images/make.ts'),
      ]);
      const made: MadeFile[] = [];
      const targets = [...IMAGES];
      for await (const { file } of makeImageArchives(folder, isOnDebian)) {
        const target = targets.shift();
        if (target === undefined) throw new Error(`${file} is an archive of no image`);
        const name = `${target.image}-${version}.oci.tar`;
        await rename(file, join(folder, name));
        made.push({ name, paths: await listTakenFiles(target) });
      }
      return made;
    },
  },
];
