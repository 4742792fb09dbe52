import type { MCPServerEntrySpec } from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import { type BackendAddress, withoutFragment } from './backend-address.ts';
import { lowerCaBundle } from './ca-bundle.ts';
import type { LoweringContext } from './context.ts';
import { type OutgoingAuth, unsupportedCredential } from './outgoing-auth.ts';
import { workloadMetadata } from './workload-metadata.ts';

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
