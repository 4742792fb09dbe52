import { compareText } from '#schemas';
import { findSecretParameter } from '../../source/secret-parameter.ts';
import type { BackendModel, GatewayModel } from '../gateway/model.ts';
import { describeCredential, locateSecret, withHeaders } from './credential.ts';
import type { ExposedBackend, ForwardedHeader, ObjectName } from './exposure.ts';
import { listOwnSecrets } from './own-secrets.ts';
import { pickName } from './pick-name.ts';
import { redactUrl } from './redact-url.ts';
import { describeWorkload } from './workload.ts';

export function listExposedBackends(gateway: GatewayModel): readonly ExposedBackend[] {
  return gateway.backends.map(backend => {
    const { origin, location, locked } = backend;
    const { name, url, transport, ...sent } = describePlannedBackend(gateway, backend, {
      chosen: location && pickName(location.holder),
      fixed: pickName(origin.resource),
      passed: pickName(gateway.resource),
    });
    return {
      name,
      key: origin.key,
      url,
      transport,
      locked: locked !== undefined,
      ...sent,
      ownSecrets: listOwnSecrets(gateway, backend),
      workload: describeWorkload(gateway, backend),
    };
  });
}

/** The objects that say which credential a backend gets: by outgoing authentication, by constant headers, and by headers of callers. */
interface CredentialObjects {
  readonly chosen: ObjectName | null;
  readonly fixed: ObjectName;
  readonly passed: ObjectName;
}

export type PlannedBackend = Omit<ExposedBackend, 'key' | 'locked' | 'ownSecrets' | 'workload'>;

/** What the plan says about a backend. */
export function describePlannedBackend(
  gateway: Pick<GatewayModel, 'plan'>,
  { plan }: Pick<BackendModel, 'plan'>,
  objects: CredentialObjects,
): PlannedBackend {
  const headers = listHeaders(gateway, { plan });
  const urlSecret = findSecretParameter(plan.url);
  return {
    name: plan.name,
    url: redactUrl(plan.url),
    transport: plan.transport,
    credential: withHeaders(describeCredential(plan.auth, objects.chosen), headers, urlSecret, objects),
    headers,
    ...(urlSecret === undefined ? {} : { urlSecret }),
  };
}

function listHeaders(
  { plan: { passthroughHeaders } }: Pick<GatewayModel, 'plan'>,
  { plan }: Pick<BackendModel, 'plan'>,
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
