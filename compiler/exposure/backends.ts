import { compareText, type MCPServerEntrySpec } from '#schemas';
import type { BackendModel, GatewayModel } from '../gateway/model.ts';
import { credentialOf } from './credentials.ts';
import type { ExposedBackend, ForwardedHeader } from './exposure.ts';
import { shownUrl } from './shown-url.ts';

export function exposedBackends(gateway: GatewayModel): readonly ExposedBackend[] {
  return gateway.backends.map(backend => ({
    name: backend.name,
    key: backend.origin.key,
    url: shownUrl(backend.plan.url),
    transport: backend.plan.transport,
    locked: backend.locked !== undefined,
    credential: credentialOf(gateway, backend),
    headers: headersOf(gateway, backend),
  }));
}

/** Header names ignore case, and one that the caller sends is not set again. */
function headersOf({ resource: { spec } }: GatewayModel, { origin }: BackendModel): readonly ForwardedHeader[] {
  const passed = spec.passthroughHeaders ?? spec.config?.passthroughHeaders ?? [];
  const { headerForward } =
    origin.resource.kind === 'MCPServerEntry' ? (origin.resource.spec as MCPServerEntrySpec) : {};
  const headers: readonly ForwardedHeader[] = [
    ...passed.map(name => ({ name, from: 'caller' as const })),
    ...Object.keys(headerForward?.addPlaintextHeaders ?? {}).map(name => ({ name, from: 'spec' as const })),
    ...(headerForward?.addHeadersFromSecret ?? []).map(({ headerName }) => ({
      name: headerName,
      from: 'secret' as const,
    })),
  ];
  return headers.toSorted((a, b) => compareText(a.name, b.name) || compareText(a.from, b.from));
}
