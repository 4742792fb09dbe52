import { type CaBundleRef, getMember, validateAuthorities } from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import { CA_BUNDLE_KEY, findMountedCaBundle } from '../resolve/mounted-secret.ts';
import { listKeys } from '../resolve/references.ts';
import type { Tracked } from '../resolve/tracked.ts';
import type { Path } from '../source/source-document.ts';
import type { LoweringContext } from './context.ts';
import { reportOutsideConfigMap } from './outside-config-map.ts';

/**
 * The bundle contains the PEM text of a CA bundle: a ConfigMap is not secret, and the gateway then trusts exactly the certificates that
 * were reviewed.
 */
export function lowerCaBundle(
  context: LoweringContext,
  owner: Resource,
  ref: Tracked<CaBundleRef> | undefined,
): string | undefined {
  if (ref === undefined) return undefined;
  const source = ref.get('configMapRef');
  if (source?.name === undefined || source.name === '') {
    context.report(owner, 'LNT1010', ref.path, 'the CA bundle names no ConfigMap: set configMapRef.name', {
      at: 'key',
    });
    return undefined;
  }
  const path = [...ref.path, 'configMapRef'];
  const configMap = context.inventory.find<{ readonly data?: unknown }>('ConfigMap', owner.namespace, source.name);
  if (configMap !== undefined) return readPem(context, owner, configMap, source, [...path, 'key']);
  const what = 'the certificate authorities';
  reportOutsideConfigMap(context, owner, { name: source.name, what }, [...path, 'name']);
  return undefined;
}

/**
 * A file that manifests mount from a ConfigMap. Its content is not part of the bundle, so that an authority can be replaced without a new
 * bundle; mistakes in the ConfigMap are reported if it is in the sources.
 */
export function checkMountedCaBundle(context: LoweringContext, owner: Resource, file: string, path: Path): void {
  const name = findMountedCaBundle(file);
  if (name === null) return;
  const configMap = context.inventory.find<{ readonly data?: unknown }>('ConfigMap', owner.namespace, name);
  if (configMap !== undefined) {
    readPem(context, owner, configMap, { key: '' }, path);
  } else if (!context.inventory.isBroken('ConfigMap', owner.namespace, name)) {
    const message = `ConfigMap "${name}", which is mounted as this file, is not in these sources, so it cannot be verified offline`;
    context.report(owner, 'LNT2004', path, message);
  }
}

/** Does the same as `checkMountedCaBundle` for files of a registry server, whose configuration does not name the ConfigMaps. */
export function checkCaBundlesInSources(context: LoweringContext, owner: Resource, files: readonly string[]): void {
  for (const file of files) {
    const name = findMountedCaBundle(file);
    if (name !== null && context.inventory.find('ConfigMap', owner.namespace, name) !== undefined) {
      checkMountedCaBundle(context, owner, file, ['spec', 'configYAML']);
    }
  }
}

function readPem(
  context: LoweringContext,
  owner: Resource,
  configMap: Resource<{ readonly data?: unknown }>,
  source: { readonly key: string; readonly optional?: boolean },
  path: Path,
): string | undefined {
  const key = source.key === '' ? CA_BUNDLE_KEY : source.key;
  const refuse = (message: string) => context.report(owner, 'LNT2005', path, message);
  if (!listKeys(configMap.spec).includes(key)) {
    // The reference check already looked for an explicit key.
    if (source.key === '' && source.optional !== true) refuse(`ConfigMap "${configMap.name}" has no key "${key}"`);
    return undefined;
  }
  const pem = getMember(configMap.spec.data, key);
  if (typeof pem !== 'string') {
    refuse(`key "${key}" of ConfigMap "${configMap.name}" holds no text, and certificates are PEM text under data`);
    return undefined;
  }
  return isGoodPem(context, configMap, key, pem) ? pem : undefined;
}

/** Findings are reported at the ConfigMap, once, however many objects use it. */
function isGoodPem(context: LoweringContext, configMap: Resource, key: string, pem: string): boolean {
  const { problem, warnings } = validateAuthorities(pem, new Date());
  const path = ['data', key];
  const name = `key "${key}" of ConfigMap "${configMap.name}", whose certificates are trusted,`;
  for (const warning of warnings) context.report(configMap, 'LNT2012', path, `${name} ${warning}`, { at: 'key' });
  if (problem === undefined) return true;
  context.report(configMap, 'LNT2011', path, `${name} ${problem}`, { at: 'key' });
  return false;
}
