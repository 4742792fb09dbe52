import type { MCPServerEntrySpec } from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import { type BackendAddress, withoutFragment } from './backend-address.ts';
import { lowerCaBundle } from './ca-bundle.ts';
import type { LoweringContext } from './context.ts';
import { lowerStaticHeaders } from './forwarded-headers.ts';
import { buildWorkloadMetadata } from './workload-metadata.ts';

/**
 * A remote server that the gateway connects to directly, so every field of the entry has to be supported. Its credential reference is read
 * with those of other backends.
 */
export function lowerEntryBackend(context: LoweringContext, entry: Resource<MCPServerEntrySpec>): BackendAddress {
  const spec = context.track(entry);
  const remoteUrl = spec.get('remoteUrl');
  const caPem = lowerCaBundle(context, entry, spec.child('caBundleRef'));
  return {
    name: entry.name,
    url: withoutFragment(remoteUrl),
    transport: spec.get('transport'),
    addresses: spec.get('allowPrivateEndpoint') === true ? 'private' : 'public',
    headers: lowerStaticHeaders(spec.child('headerForward'), entry.name),
    ...(caPem === undefined ? {} : { caPem }),
    metadata: { ...buildWorkloadMetadata(entry, 'server_entry', spec.get('groupRef').name), remote_url: remoteUrl },
  };
}
