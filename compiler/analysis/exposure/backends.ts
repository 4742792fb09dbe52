import { compareText } from '#schemas';
import { findSecretParameter } from '../../source/secret-parameter.ts';
import type { BackendModel, GatewayModel } from '../gateway/model.ts';
import { describeCredential, locateSecret, withHeaders } from './credential.ts';
import type { ExposedBackend, ForwardedHeader } from './exposure.ts';
import { listOwnSecrets } from './own-secrets.ts';
import { pickName } from './pick-name.ts';
import { redactUrl } from './redact-url.ts';

export function listExposedBackends(gateway: GatewayModel): readonly ExposedBackend[] {
  return gateway.backends.map(backend => {
    const { name, origin, plan, location, locked } = backend;
    const headers = listHeaders(gateway, backend);
    const urlSecret = findSecretParameter(plan.url);
    const sent = describeCredential(plan.auth, location && pickName(location.holder));
    const holders = { fixed: pickName(origin.resource), passed: pickName(gateway.resource) };
    return {
      name,
      key: origin.key,
      url: redactUrl(plan.url),
      transport: plan.transport,
      locked: locked !== undefined,
      credential: withHeaders(sent, headers, urlSecret, holders),
      headers,
      ...(urlSecret === undefined ? {} : { urlSecret }),
      ownSecrets: listOwnSecrets(gateway, backend),
    };
  });
}

function listHeaders(
  { plan: { passthroughHeaders } }: GatewayModel,
  { plan }: BackendModel,
): readonly ForwardedHeader[] {
  const headers: readonly ForwardedHeader[] = [
    ...passthroughHeaders.map(name => ({ name, from: 'caller' as const })),
    ...plan.headers.map(
      ({ name, value }): ForwardedHeader =>
        value.type === 'secret' ? { name, from: 'secret', secret: locateSecret(value.from) } : { name, from: 'spec' },
    ),
  ];
  return headers.toSorted(
    (a, b) => compareText(a.name.toLowerCase(), b.name.toLowerCase()) || compareText(a.from, b.from),
  );
}
