/** Loads and verifies a bundle. No part of it is used before all checks have passed. */
import { dirname } from 'node:path';
import {
  BRIDGE_TOKEN_VARIABLE,
  BUNDLE_FORMAT_VERSION,
  computeDigest,
  type GatewayBundle,
  type RegistryBundle,
  type RuntimeFeature,
  type SecretRequirement,
} from '#schemas';
import { readSecret, type SecretError } from '../auth/secrets.ts';
import { BundleError } from './bundle-error.ts';
import { findAuthorityProblems } from './gateway-authorities.ts';
import { type BundleChoice, locate } from './locate.ts';
import { parseObject, readWhole } from './read.ts';
import { findGatewayProblem } from './shape.ts';
import { withBridge } from './with-bridge.ts';

/** The features of this runtime. A bundle that requires another feature is refused rather than served without it. */
const FEATURES: ReadonlySet<string> = new Set<RuntimeFeature>([
  'aggregation',
  'audit',
  'auth-server',
  'cedar',
  'circuit-breaker',
  'header-forward',
  'incoming-local',
  'incoming-oidc',
  'introspection',
  'optimizer',
  'optimizer-embeddings',
  'outgoing-aws_sts',
  'outgoing-header_injection',
  'outgoing-obo',
  'outgoing-token_exchange',
  'outgoing-upstream_inject',
  'outgoing-xaa',
  'passthrough-headers',
  'pinned-tools',
  'rate-limits-memory',
  'rate-limits-redis',
  'registry',
  'registry-audit',
  'registry-claims',
  'registry-introspection',
  'registry-oauth',
  'registry-source-api',
  'registry-source-bundled',
  'registry-source-file',
  'registry-source-git',
  'registry-source-url',
  'registry-telemetry',
  'sessions-redis',
  'telemetry',
  'upstream-claims',
  'workflows',
]);

/** The bundle of a gateway. */
export interface LoadedBundle {
  readonly bundle: GatewayBundle;
  readonly digest: string;
  /** What errors call the bundle: the label of the choice, or the file that was read. */
  readonly file: string;
}

/** The bundle of a registry server. */
export interface LoadedRegistry {
  readonly bundle: RegistryBundle;
  readonly digest: string;
  /** What errors call the bundle: the label of the choice, or the file that was read. */
  readonly file: string;
  /** The folder of the bundle, which contains the files of entries. */
  readonly folder: string;
}

/**
 * Loads a bundle, and checks its digest and format, the features that it requires, the presence of every secret, and its certificate authorities.
 *
 * @param path a `bundle.json`, the directory of a bundle, or the output folder of a build (with `index.json`)
 * @throws BundleError
 */
export async function loadBundle(path: string, choice: BundleChoice = {}): Promise<LoadedBundle | LoadedRegistry> {
  const { label } = choice;
  if (label === undefined) return loadFile(path, choice);
  try {
    return { ...(await loadFile(path, choice)), file: label };
  } catch (error) {
    throw error instanceof BundleError ? new BundleError(label, error.problem, error.bundle) : error;
  }
}

async function loadFile(path: string, choice: BundleChoice): Promise<LoadedBundle | LoadedRegistry> {
  const { file, digest: expected } = await locate(path, choice);
  const bytes = await readWhole(file);
  const digest = computeDigest(bytes);
  if (expected !== undefined && expected !== digest) {
    throw new BundleError(file, `the content has digest ${digest}, but ${expected} was expected; build it again`);
  }
  const bundle = parseObject<GatewayBundle | RegistryBundle>(file, bytes);
  await verify(file, bundle);
  if (bundle.kind === 'registry') return { bundle, digest, file, folder: dirname(file) };
  const hasToken = (process.env[BRIDGE_TOKEN_VARIABLE] ?? '') !== '';
  return { bundle: withBridge(bundle, choice.bridge, hasToken), digest, file };
}

/**
 * Loads the bundle that replaces a gateway's active bundle.
 * @throws BundleError, also for a registry server's bundle
 */
export async function loadGateway(path: string, choice: BundleChoice): Promise<LoadedBundle> {
  const loaded = await loadBundle(path, choice);
  if (!isRegistry(loaded)) return loaded;
  throw new BundleError(loaded.file, formatOtherKind('registry', 'gateway'));
}

/**
 * Loads the bundle that replaces a registry server's active bundle.
 * @throws BundleError, also for a gateway's bundle
 */
export async function loadRegistry(path: string, choice: BundleChoice): Promise<LoadedRegistry> {
  const loaded = await loadBundle(path, choice);
  if (isRegistry(loaded)) return loaded;
  throw new BundleError(loaded.file, formatOtherKind('gateway', 'registry'));
}

export function isRegistry(loaded: LoadedBundle | LoadedRegistry): loaded is LoadedRegistry {
  return loaded.bundle.kind === 'registry';
}

function formatOtherKind(found: string, served: string): string {
  return `is of kind "${found}", and this process serves a ${served}; start another process for it`;
}

async function verify(file: string, bundle: GatewayBundle | RegistryBundle): Promise<void> {
  if (bundle.formatVersion === undefined)
    throw new BundleError(
      file,
      'is not a bundle, which has "formatVersion"; give the folder that `lintel build` wrote',
    );
  if (bundle.formatVersion !== BUNDLE_FORMAT_VERSION) {
    throw new BundleError(
      file,
      `bundle format ${bundle.formatVersion} is not known; this runtime reads format ${BUNDLE_FORMAT_VERSION}`,
    );
  }
  const checks = await checksFor(file, bundle);
  const problem = checks.shapeProblem();
  if (problem !== undefined) throw new BundleError(file, `is not a complete bundle: ${problem}; build it again`);
  const lacking = bundle.requires.filter(feature => !FEATURES.has(feature));
  if (lacking.length > 0) {
    throw new BundleError(
      file,
      `it requires ${lacking.join(', ')}, which this runtime does not have; upgrade the runtime`,
      bundle,
    );
  }
  const missing = await checks.missing();
  if (missing.length > 0) throw new BundleError(file, missing.join('; '), bundle);
}

/** The checks of one kind of bundle; `missing` is called only if the shape is valid. */
interface KindChecks {
  shapeProblem(): string | undefined;
  /** Missing or unusable secrets and other files. */
  missing(): readonly string[] | Promise<readonly string[]>;
}

async function checksFor(file: string, bundle: GatewayBundle | RegistryBundle): Promise<KindChecks> {
  if (bundle.kind === 'gateway')
    return {
      shapeProblem: () => findGatewayProblem(bundle),
      missing: async () => [...bundle.secrets.flatMap(findSecretProblems), ...(await findAuthorityProblems(bundle))],
    };
  if (bundle.kind === 'registry') {
    // Imported only here, because a gateway does not need it.
    const { findMissingFiles } = await import('./registry-files.ts');
    const { findRegistryProblem } = await import('./registry-shape.ts');
    return { shapeProblem: () => findRegistryProblem(bundle), missing: () => findMissingFiles(bundle.files) };
  }
  const { kind } = bundle as { readonly kind: unknown };
  throw new BundleError(
    file,
    `this runtime serves gateways and registry servers, not bundles of kind ${JSON.stringify(kind)}; upgrade the runtime`,
  );
}

function findSecretProblems(secret: SecretRequirement): string[] {
  try {
    readSecret(secret, secret.use);
    return [];
  } catch (error) {
    return [(error as SecretError).message];
  }
}
