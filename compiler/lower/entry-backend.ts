import type { CaBundleRef, MCPServerEntrySpec } from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
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
  const source = ref?.get('configMapRef');
  if (source?.name === undefined) return undefined;
  const configMap = context.inventory.find<{ readonly data?: { readonly [key: string]: string } }>(
    'ConfigMap',
    entry.namespace,
    source.name,
  );
  const path = ['spec', 'caBundleRef', 'configMapRef', 'name'];
  if (configMap === undefined) {
    context.report(
      entry,
      'LNT1009',
      path,
      `a CA bundle outside these sources is not supported yet: add ConfigMap "${source.name}" to them (spec.caBundleRef)`,
    );
    return undefined;
  }
  const key = source.key === undefined || source.key === '' ? DEFAULT_CA_KEY : source.key;
  const pem = configMap.spec.data?.[key];
  if (pem?.includes('-----BEGIN CERTIFICATE-----')) return pem;
  context.report(
    entry,
    'LNT2005',
    ['spec', 'caBundleRef', 'configMapRef'],
    pem === undefined
      ? `ConfigMap "${source.name}" has no key "${key}"`
      : `key "${key}" of ConfigMap "${source.name}" holds no PEM certificate`,
  );
  return undefined;
}
