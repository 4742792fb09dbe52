/** From a path to a verified bundle. Nothing of a bundle is used before all of it was checked. */
import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  BUNDLE_FILE,
  BUNDLE_FORMAT_VERSION,
  type BundleIndex,
  digestOf,
  type GatewayBundle,
  INDEX_FILE,
  type RuntimeFeature,
  type SecretRequirement,
} from '#schemas';
import { readSecret, type SecretError } from '../auth/secrets.ts';
import { indexProblem, shapeProblem } from './shape.ts';

/** Larger bundles are refused before they are parsed; bytes. */
const MAX_BUNDLE_BYTES = 64 * 1024 * 1024;

/** What this runtime can do; a bundle that needs more must not be served with a part left out. */
const FEATURES: ReadonlySet<string> = new Set<RuntimeFeature>([
  'aggregation',
  'cedar',
  'header-forward',
  'incoming-local',
  'incoming-oidc',
  'introspection',
  'outgoing-aws_sts',
  'outgoing-header_injection',
  'outgoing-obo',
  'outgoing-token_exchange',
  'outgoing-upstream_inject',
  'outgoing-xaa',
  'passthrough-headers',
]);

/** Why a bundle is refused. The message names the file, the cause and what to do. */
export class BundleError extends Error {
  /** The bundle, where it could be read whole. */
  readonly bundle: GatewayBundle | undefined;

  constructor(path: string, cause: string, bundle?: GatewayBundle) {
    super(`${path}: ${cause}`);
    this.name = 'BundleError';
    this.bundle = bundle;
  }
}

export interface LoadedBundle {
  readonly bundle: GatewayBundle;
  readonly digest: string;
  /** The file that was read. */
  readonly file: string;
}

/**
 * Loads a bundle and checks digest, format, requirements and that every secret it names is there.
 *
 * @param path a `bundle.json`, the directory of a bundle, or the output folder of a build (with `index.json`)
 * @param gateway `name` or `namespace/name`: which one, when the output folder holds several
 * @throws BundleError
 */
export async function loadBundle(path: string, gateway?: string): Promise<LoadedBundle> {
  const { file, digest: expected } = await locate(path, gateway);
  const bytes = await read(file);
  const digest = digestOf(bytes);
  if (expected !== undefined && expected !== digest) {
    throw new BundleError(file, `the content has digest ${digest}, but ${expected} was asked for; build it again`);
  }
  const bundle = parse(file, bytes);
  verify(file, bundle);
  return { bundle, digest, file };
}

/** The bundle file behind a path, and the digest it must have where something names one. */
async function locate(
  path: string,
  gateway: string | undefined,
): Promise<{ file: string; digest: string | undefined }> {
  // Behind links, so that index and bundle come from one state of a path that is switched, and digests in names count.
  const absolute = await realpath(path).catch(() => undefined);
  const info = absolute === undefined ? undefined : await stat(absolute).catch(() => undefined);
  if (absolute === undefined || info === undefined)
    throw new BundleError(path, 'no such file or directory; give the folder that `lintel build` wrote');
  if (info.isFile() && basename(absolute) === INDEX_FILE) return fromIndex(absolute, gateway);
  if (info.isFile()) return { file: absolute, digest: digestInName(dirname(absolute)) };
  const index = join(absolute, INDEX_FILE);
  if (await exists(index)) return fromIndex(index, gateway);
  const file = join(absolute, BUNDLE_FILE);
  if (await exists(file)) return { file, digest: digestInName(absolute) };
  throw new BundleError(
    path,
    `found neither ${INDEX_FILE} nor ${BUNDLE_FILE}; give the folder that \`lintel build\` wrote`,
  );
}

async function fromIndex(path: string, gateway: string | undefined): Promise<{ file: string; digest: string }> {
  const index = parse<BundleIndex>(path, await read(path));
  if (index.formatVersion !== BUNDLE_FORMAT_VERSION) {
    throw new BundleError(
      path,
      `index format ${index.formatVersion} is not known; this runtime reads ${BUNDLE_FORMAT_VERSION}`,
    );
  }
  const problem = indexProblem(index);
  if (problem !== undefined) throw new BundleError(path, `is not a whole index: ${problem}; build it again`);
  // A build may hold more than gateways; what else it holds is no choice as long as there is one.
  const gateways = index.bundles.filter(({ kind }) => kind === 'gateway');
  const candidates = gateways.length > 0 ? gateways : index.bundles;
  const matching = candidates.filter(
    ({ namespace, name }) => gateway === undefined || gateway === name || gateway === `${namespace}/${name}`,
  );
  const [entry] = matching;
  const names = candidates.map(({ namespace, name }) => `${namespace}/${name}`).join(', ');
  if (entry === undefined) {
    const cause =
      gateway === undefined
        ? 'it lists no bundle: no gateway of that build was without errors'
        : `it lists no gateway "${gateway}"; it has: ${names}`;
    throw new BundleError(path, cause);
  }
  if (matching.length > 1)
    throw new BundleError(path, `it lists several gateways: choose one with --gateway: ${names}`);
  return { file: join(dirname(path), entry.path, BUNDLE_FILE), digest: entry.digest };
}

/** A directory named `sha256-…` promises what is inside. */
function digestInName(directory: string): string | undefined {
  const name = basename(directory);
  return /^sha256-[0-9a-f]{64}$/.test(name) ? name.replace('-', ':') : undefined;
}

async function read(file: string): Promise<Buffer> {
  const info = await stat(file).catch(() => undefined);
  if (info === undefined) throw new BundleError(file, 'no such file');
  if (info.size > MAX_BUNDLE_BYTES) {
    throw new BundleError(file, `${info.size} bytes are more than the ${MAX_BUNDLE_BYTES} a bundle may have`);
  }
  try {
    return await readFile(file);
  } catch (error) {
    throw new BundleError(file, `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
  }
}

function parse<T = GatewayBundle>(file: string, bytes: Buffer): T {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    if (/\.ya?ml$/.test(file)) throw new BundleError(file, 'is a spec, not a bundle; `lintel serve` serves specs');
    throw new BundleError(file, `is not JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null) throw new BundleError(file, 'is not a JSON object');
  return value as T;
}

function verify(file: string, bundle: GatewayBundle): void {
  if (bundle.formatVersion !== BUNDLE_FORMAT_VERSION) {
    throw new BundleError(
      file,
      `bundle format ${bundle.formatVersion} is not known; this runtime reads format ${BUNDLE_FORMAT_VERSION}`,
    );
  }
  if (bundle.kind !== 'gateway') {
    throw new BundleError(
      file,
      `this runtime serves gateways, not bundles of kind "${bundle.kind}"; upgrade the runtime`,
    );
  }
  const problem = shapeProblem(bundle);
  if (problem !== undefined) throw new BundleError(file, `is not a whole bundle: ${problem}; build it again`);
  const missing = bundle.requires.filter(feature => !FEATURES.has(feature));
  if (missing.length > 0) {
    throw new BundleError(
      file,
      `it requires ${missing.join(', ')}, which this runtime does not have; upgrade the runtime`,
      bundle,
    );
  }
  const missingSecrets = bundle.secrets.flatMap(problemOfSecret);
  if (missingSecrets.length > 0) throw new BundleError(file, missingSecrets.join('; '), bundle);
}

function problemOfSecret(secret: SecretRequirement): string[] {
  try {
    readSecret(secret, secret.use);
    return [];
  } catch (error) {
    return [(error as SecretError).message];
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
