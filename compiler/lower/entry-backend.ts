import type { CaBundleRef, MCPServerEntrySpec } from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import { keysOf } from '../resolve/references.ts';
import { memberOf } from '../source/is-mapping.ts';
import type { Path } from '../source/source-document.ts';
import { type BackendAddress, withoutFragment } from './backend-address.ts';
import type { LoweringContext } from './context.ts';
import { type OutgoingAuth, unsupportedCredential } from './outgoing-auth.ts';
import type { Tracked } from './tracked.ts';
import { workloadMetadata } from './workload-metadata.ts';

/** Key of a CA bundle when the reference names none. */
const DEFAULT_CA_KEY = 'ca.crt';

/** A remote server that the gateway itself connects to, so every field of the entry is ours to honour. */
export function entryBackend(
  context: LoweringContext,
  entry: Resource<MCPServerEntrySpec>,
  outgoing: OutgoingAuth,
): BackendAddress {
  const spec = context.track(entry);
  const remoteUrl = spec.get('remoteUrl');
  const credential = unsupportedCredential(context, entry, entry.spec.externalAuthConfigRef);
  if (outgoing.overrides.has(entry.name)) {
    spec.ignore('externalAuthConfigRef', 'outgoingAuth.backends of the gateway decides');
  } else if (credential === undefined) {
    spec.get('externalAuthConfigRef');
  } else {
    spec.unsupported('externalAuthConfigRef', credential);
  }
  spec.unsupported('headerForward', 'forwarding of static headers');
  const caPem = lowerCaBundle(context, entry, spec.child('caBundleRef'));
  return {
    name: entry.name,
    url: withoutFragment(remoteUrl),
    transport: spec.get('transport'),
    addresses: spec.get('allowPrivateEndpoint') === true ? 'private' : 'public',
    auth: { type: 'unauthenticated' },
    headers: [],
    ...(caPem === undefined ? {} : { caPem }),
    metadata: { ...workloadMetadata(entry, 'server_entry', spec.get('groupRef').name), remote_url: remoteUrl },
  };
}

/** The PEM text of a CA bundle travels in the bundle: a ConfigMap is no secret, and what was reviewed is what is trusted. */
function lowerCaBundle(
  context: LoweringContext,
  entry: Resource<MCPServerEntrySpec>,
  ref: Tracked<CaBundleRef> | undefined,
): string | undefined {
  if (ref === undefined) return undefined;
  const source = ref.get('configMapRef');
  if (source?.name === undefined || source.name === '') {
    context.report(entry, 'LNT1010', ref.path, 'the CA bundle names no ConfigMap: set configMapRef.name', {
      at: 'key',
    });
    return undefined;
  }
  const path = [...ref.path, 'configMapRef'];
  const configMap = context.inventory.find<{ readonly data?: unknown }>('ConfigMap', entry.namespace, source.name);
  if (configMap !== undefined) return pemOf(context, entry, configMap, source, [...path, 'key']);
  if (!context.inventory.isBroken('ConfigMap', entry.namespace, source.name)) {
    context.report(
      entry,
      'LNT1009',
      [...path, 'name'],
      `a CA bundle outside these sources is not supported yet: add ConfigMap "${source.name}" to them (spec.caBundleRef)`,
    );
  }
  return undefined;
}

function pemOf(
  context: LoweringContext,
  entry: Resource<MCPServerEntrySpec>,
  configMap: Resource<{ readonly data?: unknown }>,
  source: { readonly key: string; readonly optional?: boolean },
  path: Path,
): string | undefined {
  const key = source.key === '' ? DEFAULT_CA_KEY : source.key;
  const refuse = (message: string) => context.report(entry, 'LNT2005', path, message);
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
