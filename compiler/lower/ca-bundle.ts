import type { CaBundleRef } from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import { keysOf } from '../resolve/references.ts';
import { memberOf } from '../source/is-mapping.ts';
import type { Path } from '../source/source-document.ts';
import type { LoweringContext } from './context.ts';
import type { Tracked } from './tracked.ts';

/** Key of a CA bundle when the reference names none. */
const DEFAULT_CA_KEY = 'ca.crt';

/** The PEM text of a CA bundle travels in the bundle: a ConfigMap is no secret, and what was reviewed is what is trusted. */
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
  if (configMap !== undefined) return pemOf(context, owner, configMap, source, [...path, 'key']);
  if (!context.inventory.isBroken('ConfigMap', owner.namespace, source.name)) {
    context.report(
      owner,
      'LNT1009',
      [...path, 'name'],
      `a CA bundle outside these sources is not supported yet: add ConfigMap "${source.name}" to them (${ref.path.join('.')})`,
    );
  }
  return undefined;
}

function pemOf(
  context: LoweringContext,
  owner: Resource,
  configMap: Resource<{ readonly data?: unknown }>,
  source: { readonly key: string; readonly optional?: boolean },
  path: Path,
): string | undefined {
  const key = source.key === '' ? DEFAULT_CA_KEY : source.key;
  const refuse = (message: string) => context.report(owner, 'LNT2005', path, message);
  if (!keysOf(configMap.spec).includes(key)) {
    // A key that is written was looked for with the references.
    if (source.key === '' && source.optional !== true) refuse(`ConfigMap "${configMap.name}" has no key "${key}"`);
    return undefined;
  }
  const pem = memberOf(configMap.spec.data, key);
  if (typeof pem !== 'string' || !pem.includes('-----BEGIN CERTIFICATE-----')) {
    refuse(`key "${key}" of ConfigMap "${configMap.name}" holds no PEM certificate`);
    return undefined;
  }
  if (/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(pem)) {
    refuse(`key "${key}" of ConfigMap "${configMap.name}" holds a private key, which must not enter a bundle`);
    return undefined;
  }
  return pem;
}
