/** What a finished plan requires of the runtime and its environment. */
import {
  type AuthServerPlan,
  type BackendPlan,
  compareText,
  type GatewayBundle,
  type IncomingAuthPlan,
  type OAuthClientPlan,
  type OutgoingAuthPlan,
  type RedisPlan,
  type RuntimeFeature,
  type SecretRequirement,
  type SecretSource,
  type UpstreamPlan,
} from '#schemas';
import { findMountedSecret } from './mounted-secret.ts';

type GatewayParts = Pick<
  GatewayBundle,
  | 'audit'
  | 'authServer'
  | 'incomingAuth'
  | 'authorization'
  | 'passthroughHeaders'
  | 'backends'
  | 'operational'
  | 'optimizer'
  | 'rateLimiting'
  | 'sessionStorage'
  | 'telemetry'
  | 'workflows'
>;

/** The features that a runtime needs to serve the plan; sorted. */
export function listFeatures(plan: GatewayParts): RuntimeFeature[] {
  const {
    audit,
    authServer,
    incomingAuth,
    authorization,
    passthroughHeaders,
    backends,
    operational,
    optimizer,
    rateLimiting,
    sessionStorage,
    telemetry,
    workflows = [],
  } = plan;
  const features = new Set<RuntimeFeature>(['aggregation']);
  if (audit !== undefined) features.add('audit');
  if (authServer !== undefined) features.add('auth-server');
  if (incomingAuth.type === 'local') features.add('incoming-local');
  if (incomingAuth.type === 'oidc') {
    features.add('incoming-oidc');
    if (incomingAuth.providers.some(({ introspection }) => introspection !== null)) features.add('introspection');
  }
  if (authorization.engine === 'cedar') {
    features.add('cedar');
    if (authorization.primaryUpstream !== undefined) features.add('upstream-claims');
  }
  if (operational.circuitBreaker !== undefined) features.add('circuit-breaker');
  if (optimizer !== undefined) features.add('optimizer');
  if (optimizer?.embeddings !== undefined) features.add('optimizer-embeddings');
  if (passthroughHeaders.length > 0) features.add('passthrough-headers');
  if (rateLimiting !== undefined)
    features.add(rateLimiting.store === null ? 'rate-limits-memory' : 'rate-limits-redis');
  if (sessionStorage !== undefined) features.add('sessions-redis');
  if (telemetry !== undefined) features.add('telemetry');
  if (workflows.length > 0) features.add('workflows');
  for (const { auth, headers, pinned } of backends) {
    if (pinned !== undefined) features.add('pinned-tools');
    if (auth.type !== 'unauthenticated') features.add(`outgoing-${auth.type}`);
    if (headers.length > 0) features.add('header-forward');
  }
  return [...features].sort(compareText);
}

/** A secret, and its purpose. */
type Use = readonly [use: string, source: SecretSource];

/** Every secret of the plan, sorted by file and variable, each once with all its purposes. */
export function listSecrets({
  authServer,
  incomingAuth,
  backends,
  rateLimiting,
  sessionStorage,
  telemetry,
}: Omit<GatewayParts, 'operational'>): SecretRequirement[] {
  const required = new Map<string, SecretRequirement>();
  const uses = [
    ...listIncomingUses(incomingAuth),
    ...listAuthServerUses(authServer),
    ...backends.flatMap(listBackendUses),
    ...listRedisUses('rate limits', rateLimiting?.store?.redis),
    ...listRedisUses('sessions', sessionStorage?.redis),
    ...listCollectorUses(telemetry),
  ];
  for (const [use, source] of uses) {
    const { env, file } = source;
    const key = JSON.stringify([file, env]);
    const known = required.get(key);
    required.set(key, {
      use: known === undefined ? use : `${known.use}, ${use}`,
      env,
      file,
      secret: findMountedSecret(source),
    });
  }
  return [...required.values()].sort(
    (a, b) => compareText(a.file ?? '', b.file ?? '') || compareText(a.env ?? '', b.env ?? ''),
  );
}

function listIncomingUses(auth: IncomingAuthPlan): readonly Use[] {
  if (auth.type !== 'oidc') return [];
  return auth.providers.flatMap(({ name, keysToken, introspection }): Use[] => {
    const credentials = introspection?.credentials;
    return [
      ...(keysToken === null ? [] : [[`token for the keys of identity provider "${name}"`, keysToken] as const]),
      ...(credentials?.type === 'basic'
        ? [[`client secret for introspection at identity provider "${name}"`, credentials.secret] as const]
        : []),
      ...(credentials?.type === 'bearer'
        ? [[`token for introspection at identity provider "${name}"`, credentials.token] as const]
        : []),
    ];
  });
}

function listAuthServerUses(server: AuthServerPlan | undefined): readonly Use[] {
  if (server === undefined) return [];
  const { signingKeys, hmacSecrets, upstreams, delegateClients, storage } = server;
  return [
    ...signingKeys.map((source, index): Use => [`signing key ${index} of the authorization server`, source]),
    ...hmacSecrets.map((source, index): Use => [`HMAC secret ${index} of the authorization server`, source]),
    ...upstreams.flatMap(listUpstreamUses),
    ...delegateClients.map(({ id, secret }): Use => [`secret of delegate client "${id}"`, secret]),
    ...listRedisUses('the authorization server', storage?.redis),
  ];
}

function listUpstreamUses(upstream: UpstreamPlan): readonly Use[] {
  const { name, clientSecret } = upstream;
  const token = upstream.type === 'oauth2' ? upstream.registration?.initialAccessToken : undefined;
  return [
    ...(clientSecret === null ? [] : [[`client secret at upstream "${name}"`, clientSecret] as const]),
    ...(token == null ? [] : [[`token for registration at upstream "${name}"`, token] as const]),
  ];
}

/** @param what the purpose of the storage */
function listRedisUses(what: string, redis: RedisPlan | undefined): readonly Use[] {
  if (redis === undefined) return [];
  const { username, password, mayLackPassword, tls, sentinelTls } = redis;
  const uses: readonly (readonly [use: string, source: SecretSource | null | undefined])[] = [
    ['user name', username],
    ['password', mayLackPassword ? null : password],
    ['certificate authority', tls?.ca],
    ['certificate authority of the sentinels', sentinelTls?.ca],
  ];
  return uses.flatMap(([use, source]): Use[] => (source == null ? [] : [[`${use} for the Redis of ${what}`, source]]));
}

function listCollectorUses(telemetry: GatewayParts['telemetry']): readonly Use[] {
  return (telemetry?.otlp?.headers ?? []).flatMap(({ name, value }): Use[] =>
    value.type === 'secret' ? [[`header "${name}" for the collector`, value.from]] : [],
  );
}

function listBackendUses({ name, auth, headers }: BackendPlan): readonly Use[] {
  const forwarded = headers.flatMap((header): Use[] =>
    header.value.type === 'secret' ? [[`header "${header.name}" for backend "${name}"`, header.value.from]] : [],
  );
  const credentials = listCredentialSecrets(auth).map(
    ([use, source]): Use => [`${use} of ${auth.type} for backend "${name}"`, source],
  );
  return [...credentials, ...forwarded];
}

/** The role of a secret in a credential. */
export type CredentialSecret = 'header value' | 'client secret' | 'client secret of the identity provider';

/** The secrets that the gateway needs to create a credential. */
export function listCredentialSecrets(
  auth: OutgoingAuthPlan,
): readonly (readonly [use: CredentialSecret, source: SecretSource])[] {
  switch (auth.type) {
    case 'header_injection':
      return [['header value', auth.value]];
    case 'token_exchange':
    case 'obo':
      return listClientSecrets('client secret', auth.client);
    case 'xaa':
      return [
        ...listClientSecrets('client secret of the identity provider', auth.idp.client),
        ...listClientSecrets('client secret', auth.target.client),
      ];
    case 'aws_sts':
    case 'unauthenticated':
    case 'upstream_inject':
      return [];
  }
}

function listClientSecrets(
  use: CredentialSecret,
  client: OAuthClientPlan | null,
): readonly (readonly [CredentialSecret, SecretSource])[] {
  return client === null ? [] : [[use, client.secret]];
}
