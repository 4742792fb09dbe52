/** Chooses the `lintel` to run: a configured one, otherwise the project's, otherwise the extension's. */
import { access, readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';

export interface Lintel {
  readonly program: string;
  /** Whether it is a script in a package, as opposed to an executable. */
  readonly isScript: boolean;
  /** The origin of the program, for people. */
  readonly origin: string;
  readonly version: string | undefined;
}

export interface Choice {
  /** `lintel.path`; empty where it is not set. */
  readonly setting: string;
  /** Of the workspace, absolute. */
  readonly folders: readonly string[];
  /** Whether programs of the workspace may run. */
  readonly isTrusted: boolean;
  /** The folder of the extension. */
  readonly extension: string;
}

export async function chooseLintel({ setting, folders, isTrusted, extension }: Choice): Promise<Lintel> {
  const [first = extension] = folders;
  if (setting !== '' && (isTrusted || isAbsolute(setting)))
    return await lintelAt(resolve(first, setting), 'as lintel.path says');
  const own = isTrusted ? await findFirst(folders, projectLintel) : undefined;
  if (own !== undefined) return await lintelAt(own, `of the project: ${dirname(dirname(own))}`);
  return await lintelAt(join(extension, 'server', SCRIPT), 'of the extension');
}

const SCRIPT = join('dist', 'lintel.js');

/** The package in a folder or a parent, as Node resolves it; one without a language server is another package or too old. */
async function projectLintel(folder: string): Promise<string | undefined> {
  const found = join(folder, 'node_modules', 'lintel');
  if (await exists(join(found, 'dist', 'language-server.cjs'))) return join(found, SCRIPT);
  const above = dirname(folder);
  return above === folder ? undefined : await projectLintel(above);
}

async function lintelAt(program: string, origin: string): Promise<Lintel> {
  const isScript = /\.[cm]?js$/.test(program);
  return { program, isScript, origin, version: isScript ? await readVersion(dirname(dirname(program))) : undefined };
}

async function readVersion(folder: string): Promise<string | undefined> {
  try {
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}

async function findFirst<T>(items: readonly T[], find: (item: T) => Promise<string | undefined>) {
  for (const item of items) {
    const found = await find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function exists(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  );
}
