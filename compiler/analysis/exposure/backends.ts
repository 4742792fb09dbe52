import { compareText } from '#schemas';
import type { BackendModel, GatewayModel } from '../gateway/model.ts';
import { describeCredential } from './credential.ts';
import type { ExposedBackend, ForwardedHeader } from './exposure.ts';
import { ownSecrets } from './own-secrets.ts';
import { pickName } from './pick-name.ts';
import { redactUrl } from './redact-url.ts';

export function exposedBackends(gateway: GatewayModel): readonly ExposedBackend[] {
  return gateway.backends.map(backend => ({
    name: backend.name,
    key: backend.origin.key,
    url: redactUrl(backend.plan.url),
    transport: backend.plan.transport,
    locked: backend.locked !== undefined,
    credential: describeCredential(backend.plan.auth, backend.place && pickName(backend.place.holder)),
    headers: listHeaders(gateway, backend),
    ownSecrets: ownSecrets(backend.origin),
  }));
}

function listHeaders(
  { plan: { passthroughHeaders } }: GatewayModel,
  { plan }: BackendModel,
): readonly ForwardedHeader[] {
  const headers: readonly ForwardedHeader[] = [
    ...passthroughHeaders.map(name => ({ name, from: 'caller' as const })),
    ...plan.headers.map(({ name, value }) => ({
      name,
      from: value.type === 'secret' ? ('secret' as const) : ('spec' as const),
    })),
  ];
  return headers.toSorted(
    (a, b) => compareText(a.name.toLowerCase(), b.name.toLowerCase()) || compareText(a.from, b.from),
  );
}
