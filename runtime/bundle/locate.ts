import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  BUNDLE_FILE,
  BUNDLE_FORMAT_VERSION,
  type BundleIndex,
  type BundleIndexEntry,
  INDEX_FILE,
  toCompressedPath,
  toPartPath,
  toPlainPath,
} from '#schemas';
import { BundleError, NoBundleYet } from './bundle-error.ts';
import { parseObject, readWhole } from './read.ts';
import { indexProblem } from './shape.ts';

/** Selects a bundle in an output folder: `name` or `namespace/name` of a gateway or registry server. */
export interface BundleChoice {
  readonly gateway?: string | undefined;
  readonly registry?: string | undefined;
  /** URL of the bridge that runs the stdio servers of the bundle. Default: the URL in the bundle. */
  readonly bridge?: string | undefined;
  /** The name of the bundle in error messages, for `lintel serve`, whose user does not know the bundle's file. Default: the path of the file. */
  readonly label?: string | undefined;
}

export interface BundleLocation {
  readonly file: string;
  /** The expected digest, if known. */
  readonly digest: string | undefined;
}

/**
 * The bundle file behind a path.
 *
 * @throws BundleError; NoBundleYet if the path contains no bundle
 */
export async function locate(path: string, choice: BundleChoice): Promise<BundleLocation> {
  // With links resolved, index and bundle come from the same folder, even if a link is switched meanwhile. Only the real names contain digests.
  const absolute = await realpath(path).catch(() => undefined);
  const info = absolute === undefined ? undefined : await stat(absolute).catch(() => undefined);
  if (absolute === undefined || info === undefined)
    throw new NoBundleYet(path, 'no such file or directory; give the folder that `lintel build` wrote');
  if (info.isFile() && basename(absolute) === INDEX_FILE) return fromIndex(absolute, choice);
  if (info.isFile()) return { file: toPlainPath(absolute) ?? absolute, digest: findDigestInName(dirname(absolute)) };
  const index = join(absolute, INDEX_FILE);
  if (await exists(index)) return fromIndex(index, choice);
  const file = join(absolute, BUNDLE_FILE);
  if (await isThereInSomeForm(file)) return { file, digest: findDigestInName(absolute) };
  throw new NoBundleYet(
    path,
    `found neither ${INDEX_FILE} nor ${BUNDLE_FILE}; give the folder that \`lintel build\` wrote`,
  );
}

async function fromIndex(path: string, choice: BundleChoice): Promise<BundleLocation> {
  const index = parseObject<BundleIndex>(path, await readWhole(path));
  if (index.formatVersion !== BUNDLE_FORMAT_VERSION) {
    throw new BundleError(
      path,
      `index format ${index.formatVersion} is not known; this runtime reads ${BUNDLE_FORMAT_VERSION}`,
    );
  }
  const problem = indexProblem(index);
  if (problem !== undefined) throw new BundleError(path, `is not a complete index: ${problem}; build it again`);
  const { path: folder, digest } = choose(path, index.bundles, choice);
  return { file: join(dirname(path), folder, BUNDLE_FILE), digest };
}

function choose(
  path: string,
  bundles: readonly BundleIndexEntry[],
  { gateway, registry }: BundleChoice,
): BundleIndexEntry {
  const kind = gateway !== undefined ? 'gateway' : registry !== undefined ? 'registry' : undefined;
  const serverName = gateway ?? registry;
  const candidates = kind === undefined ? bundles : bundles.filter(bundle => bundle.kind === kind);
  const matching = candidates.filter(
    ({ namespace, name }) => serverName === undefined || serverName === name || serverName === `${namespace}/${name}`,
  );
  const [only] = matching;
  if (only !== undefined && matching.length === 1) return only;
  if (bundles.length === 0)
    throw new BundleError(path, 'it lists no bundle, because everything in that build had errors');
  if (only === undefined)
    throw new BundleError(path, `it lists no ${kind} "${serverName}"; it has: ${formatNames(bundles)}`);
  throw new BundleError(path, `it lists several ${formatSeveral(matching)}: ${formatNames(matching)}`);
}

function formatSeveral(bundles: readonly BundleIndexEntry[]): string {
  const kinds = new Set(bundles.map(({ kind }) => kind));
  if (kinds.size > 1) return 'bundles: choose one with --gateway or --registry';
  return kinds.has('registry') ? 'registry servers: choose one with --registry' : 'gateways: choose one with --gateway';
}

/** The names of bundles for a message; with their kinds, unless all are gateways. */
function formatNames(bundles: readonly BundleIndexEntry[]): string {
  const isPlain = bundles.every(({ kind }) => kind === 'gateway');
  return bundles.map(({ kind, namespace, name }) => `${isPlain ? '' : `${kind} `}${namespace}/${name}`).join(', ');
}

/** The digest in the name of a folder `sha256-…`; undefined for other names. */
function findDigestInName(directory: string): string | undefined {
  const name = basename(directory);
  return /^sha256-[0-9a-f]{64}$/.test(name) ? name.replace('-', ':') : undefined;
}

async function isThereInSomeForm(file: string): Promise<boolean> {
  return (await exists(file)) || (await exists(toCompressedPath(file))) || (await exists(toPartPath(file, 0)));
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
