/** Reads the exposure that a build wrote next to a bundle, and checks that it describes this bundle. */
import { join } from 'node:path';
import {
  BUNDLE_FILE,
  computeDigest,
  type GatewayBundle,
  isObject,
  OBJECT_KIND,
  type RegistryBundle,
  VERSION,
} from '#schemas';
import { findMismatch } from '../analysis/exposure/bundle-claims.ts';
import { isPlanOf } from '../analysis/exposure/bundle-digest.ts';
import { EXPOSURE_FILE, type Exposure } from '../analysis/exposure/exposure.ts';
import { readExposures } from '../analysis/exposure/read-exposure.ts';
import { computeRegistryExposure } from '../analysis/exposure/registry/exposure-of-registry.ts';
import type { RegistryExposure } from '../analysis/exposure/registry/registry-exposure.ts';
import { getExposedName } from '../servers/exposed-name.ts';
import { MAX_CATALOG_BYTES } from '../source/limits.ts';
import { readBytes } from '../source/read-bytes.ts';
import { UsageError } from '../usage-error.ts';
import { readJsonObject } from './read-json-object.ts';

type AnyExposure = Exposure | RegistryExposure;

/**
 * @param digest the bundle's digest in the index of the build; undefined without an index
 * @throws UsageError for a file that contains no exposures, or describes another bundle
 */
export function readBundleExposures(folder: string, digest?: string): readonly AnyExposure[] {
  const file = join(folder, EXPOSURE_FILE);
  const found = readExposures(readJsonObject(file, 'exposure', MAX_CATALOG_BYTES));
  if (found === undefined) throw new UsageError(`${file}: is no exposure that this version of lintel can read`);
  const bundleFile = join(folder, BUNDLE_FILE);
  const bundle = readJsonObject(bundleFile, 'bundle', MAX_CATALOG_BYTES);
  const actual = readBundleDigest(folder, digest);
  for (const exposure of found) {
    if (exposure.bundle !== undefined && exposure.bundle !== actual)
      throw new UsageError(
        `${file}: is about the bundle ${exposure.bundle}, and ${bundleFile} is ${actual}; ${ADVICE}`,
      );
    if (!isAbout(exposure, bundle)) throw new UsageError(`${file}: contradicts ${bundleFile}; ${ADVICE}`);
  }
  return found.map(exposure => withoutClaims(exposure, bundle, folder, actual));
}

/**
 * The digest of the bundle in a folder.
 *
 * @param listed the bundle's digest in the index of the build; undefined without an index
 * @throws UsageError for a bundle with another digest than the index says
 */
export function readBundleDigest(folder: string, listed: string | undefined): string {
  const file = join(folder, BUNDLE_FILE);
  const digest = computeDigest(readBytes(file, MAX_CATALOG_BYTES) ?? '');
  if (listed !== undefined && listed !== digest)
    throw new UsageError(`${file}: is ${digest}, and the index of the build says ${listed}; ${ADVICE}`);
  return digest;
}

const ADVICE = 'one of them was replaced: build the folder again, or compare the specs';

/**
 * Checks an exposure against the bundle next to it, because the file of the exposure may have been edited. The exposure of a registry server is
 * computed from the bundle and its entries. The exposure of a gateway has to say the same as the bundle. Only what a bundle does not contain is
 * believed: the definitions and hints of backends, and the objects that describe servers. An exposure that does not agree, and that another version
 * of Lintel may have written, is returned without its plan.
 *
 * @throws UsageError for entries that are missing or replaced, for a bundle that this version cannot read, and for an exposure that says something
 *   else
 */
function withoutClaims(
  exposure: AnyExposure,
  bundle: Readonly<Record<string, unknown>>,
  folder: string,
  digest: string,
): AnyExposure {
  if (exposure.kind === 'registry') {
    const own = bundle as unknown as RegistryBundle;
    const file = join(folder, BUNDLE_FILE);
    const files = attempt(file, () => readEntries(own, folder));
    return { ...attempt(file, () => computeRegistryExposure(own, files)), bundle: digest };
  }
  const { plan, ...others } = exposure;
  if (plan === undefined) return exposure;
  const own = bundle as unknown as GatewayBundle;
  if (!attempt(folder, () => isPlanOf(plan, own))) return others;
  const mismatch = attempt(folder, () => findMismatch(exposure, own, formatExposedName(own)));
  if (mismatch === undefined) return exposure;
  if (mismatch.type === 'contradiction' && own.origin.compilerVersion === VERSION)
    throw new UsageError(
      `${join(folder, EXPOSURE_FILE)}: contradicts ${join(folder, BUNDLE_FILE)} in its ${mismatch.member}; ${ADVICE}`,
    );
  return others;
}

function formatExposedName({ front, name }: GatewayBundle): string {
  if (front === undefined) return name;
  return getExposedName({ kind: OBJECT_KIND[front], name });
}

function readEntries({ sources }: RegistryBundle, folder: string): readonly { path: string; text: string }[] {
  return sources.flatMap(({ from }) => {
    if (from.type !== 'bundled') return [];
    const { path, digest } = from.entries;
    const file = join(folder, path);
    // The bundle is untrusted: it must not name files outside of its folder.
    if (path.split('/').includes('..') || path.startsWith('/'))
      throw new UsageError(`${join(folder, BUNDLE_FILE)}: names entries outside of its folder: ${path}`);
    const bytes = readBytes(file, MAX_CATALOG_BYTES);
    if (bytes === undefined || computeDigest(bytes) !== digest)
      throw new UsageError(`${file}: are not the entries that ${BUNDLE_FILE} names; ${ADVICE}`);
    return [{ path, text: Buffer.from(bytes).toString('utf8') }];
  });
}

/**
 * Calls a function that reads a bundle. A bundle of an unknown form may cause any error in it.
 *
 * @throws UsageError in place of every other error
 */
function attempt<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file}: this version of lintel cannot read the bundle; ${ADVICE}`);
  }
}

/**
 * Whether an exposure belongs to a bundle. Plans are compared only for a bundle of this version of Lintel: another version may describe the same plan
 * differently.
 */
function isAbout({ plan, kind }: AnyExposure, bundle: Readonly<Record<string, unknown>>): boolean {
  const { origin } = bundle;
  if (bundle.kind !== kind) return false;
  if (plan === undefined || !isObject(origin) || origin.compilerVersion !== VERSION) return true;
  return isPlanOf(plan, bundle as unknown as GatewayBundle | RegistryBundle);
}
