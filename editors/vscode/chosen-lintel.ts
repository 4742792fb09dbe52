/** Chooses which `lintel` the extension runs: the configured one, otherwise the one of the project, otherwise the extension's own. */
import { access, readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';

export interface Lintel {
  readonly program: string;
  /** Whether the program is a script in an npm package, which Node has to run, and not an executable. */
  readonly isScript: boolean;
  /** Where the program comes from, for a message. */
  readonly origin: string;
  readonly version: string | undefined;
}

export interface Choice {
  /** The setting `lintel.path`; empty if it is not set. */
  readonly setting: string;
  /** The absolute paths of the folders of the workspace. */
  readonly folders: readonly string[];
  /** Whether the user trusts the workspace, so that programs in it may run. */
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

/** The package `lintel` of a project, searched in the folder and its parents as Node does. A package without a language server does not count. */
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
