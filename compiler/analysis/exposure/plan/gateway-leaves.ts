/** Every leaf of a gateway's bundle, and what a change of it means. */
import { AUDIT_LEAVES } from './audit-leaves.ts';
import { AUTH_SERVER_LEAVES } from './auth-server-leaves.ts';
import {
  access,
  availability,
  closes,
  compareByRank,
  compareEach,
  credential,
  DERIVED,
  deployment,
  destination,
  type Leaves,
  NONE,
  opens,
  prefixLeaves,
  presentation,
} from './leaf.ts';
import { METADATA } from './metadata-leaf.ts';
import { listSecretLeaves, OUTGOING_LEAVES, toOtherSecretLeaf } from './outgoing-leaves.ts';
import { RATE_LIMIT_LEAVES } from './rate-limit-leaves.ts';
import { hasRedisPassword, REDIS_LEAVES } from './redis-leaves.ts';
import {
  calmCredential,
  hasItems,
  hasMember,
  SECRET_SOURCE_LEAVES,
  secret,
  secretDestination,
  secretDestinationPart,
} from './secret-leaves.ts';
import { STDIO_LEAVES } from './stdio-leaves.ts';
import { TELEMETRY_LEAVES } from './telemetry-leaves.ts';
import { RESOURCE_METADATA_LEAVES, TOKEN_PROVIDER_LEAVES } from './token-provider-leaves.ts';
import { WORKFLOW_LEAVES } from './workflow-leaves.ts';

const INCOMING: Leaves = {
  '.type': DERIVED,
  '.realm': presentation(),
  '.providers[]': opens('access'),
  '.providers[#]': access(),
  ...prefixLeaves('.providers[]', TOKEN_PROVIDER_LEAVES),
  '.requiredScopes': compareEach('access', 'demands'),
  '.resourceMetadata': presentation(),
  ...prefixLeaves('.resourceMetadata', RESOURCE_METADATA_LEAVES),
};

const AUTHORIZATION: Leaves = {
  '.engine': DERIVED,
  '.policyCount': NONE,
  '.policies[]': DERIVED,
  // All policies are evaluated, so the order does not matter.
  '.policies[#]': NONE,
  '.policies[].id': NONE,
  '.policies[].name': NONE,
  '.policies[].text': DERIVED,
  '.policies[].listText': DERIVED,
  '.entities[]': DERIVED,
  '.entities[#]': NONE,
  '.entities[].uid.type': DERIVED,
  '.entities[].uid.id': DERIVED,
  '.entities[].attrs': DERIVED,
  '.entities[].parents[]': DERIVED,
  '.entities[].parents[#]': NONE,
  '.entities[].parents[].type': DERIVED,
  '.entities[].parents[].id': DERIVED,
  '.entities[].tags': DERIVED,
  '.server': DERIVED,
  '.groupType': DERIVED,
  '.groupClaims': DERIVED,
  '.roleClaim': DERIVED,
  '.multiValuedClaims': DERIVED,
  // Determines which claims and groups policies see.
  '.primaryUpstream': access(),
};

const OF_HEADERS = 'the comparison of backends raises the alarm, for headers that carry a credential';

/** The leaves of one backend. */
const BACKEND: Leaves = {
  '': DERIVED,
  // If several backends have a resource, the first by name serves it, so names matter.
  '.name': access(),
  '.url': destination('url'),
  '.transport': destination(),
  '.addresses': compareByRank('trust', ['public', 'private', 'any']),
  '.timeoutMs': availability(),
  ...prefixLeaves('.auth', OUTGOING_LEAVES),
  '.headers[]': calmCredential(OF_HEADERS),
  // Headers are sorted by name, so their order means nothing.
  '.headers[#]': NONE,
  '.headers[].name': calmCredential(OF_HEADERS),
  '.headers[].value.type': calmCredential(OF_HEADERS),
  '.headers[].value.text': calmCredential(OF_HEADERS, 'digest'),
  ...prefixLeaves('.headers[].value.from', listSecretLeaves()),
  '.caPem': opens('trust', 'digest'),
  '.caFile': opens('trust'),
  // The metadata of a backend is only for reports. It repeats the URL, which is compared as a leaf of its own and whose query may contain a secret.
  '.metadata{}': METADATA,
  ...prefixLeaves('.stdio', STDIO_LEAVES),
  '.tools.prefix': DERIVED,
  '.tools.advertise.type': DERIVED,
  '.tools.advertise.names': DERIVED,
  '.tools.overrides{}': DERIVED,
  '.tools.overrides{}.name': DERIVED,
  '.tools.overrides{}.description': DERIVED,
  '.tools.overrides{}.annotations': DERIVED,
  '.tools.overrides{}.annotations.title': DERIVED,
  '.tools.overrides{}.annotations.readOnlyHint': DERIVED,
  '.tools.overrides{}.annotations.destructiveHint': DERIVED,
  '.tools.overrides{}.annotations.idempotentHint': DERIVED,
  '.tools.overrides{}.annotations.openWorldHint': DERIVED,
  // The tool lock decides which backend gets which name, and the items of the exposure already show that.
  '.locked': DERIVED,
  '.locked.tools': DERIVED,
  '.locked.prompts': DERIVED,
  '.locked.resources': DERIVED,
  '.locked.resourceTemplates': DERIVED,
  '.pinned': closes('access'),
  '.pinned.tools{}': opens('access'),
};

/** A required secret. The leaf that uses the secret reports its change. */
const SECRET_REQUIREMENT: Leaves = {
  '': NONE,
  '.env': NONE,
  '.file': NONE,
  '.use': NONE,
  // The same variable or file may now contain the value of another Secret.
  '.secret': toOtherSecretLeaf(),
  '.secret.name': toOtherSecretLeaf(),
  '.secret.key': toOtherSecretLeaf(),
};

const DEPLOYMENT: Leaves = {
  '.replicas': availability(),
  '.serviceType': compareByRank('access', ['ClusterIP', 'NodePort', 'LoadBalancer']),
  '.sessionAffinity': availability(),
  '.serviceAccount': { ...credential(), alarm: () => 'otherRights' },
  '.imagePullSecrets[]': deployment(),
  '.imagePullSecrets[#]': NONE,
  '.imagePullSecrets[].name': deployment(),
  '.podTemplateSpec': deployment('digest'),
  '.networkPolicy': compareByRank('trust', [true, false]),
  '.statusReportingIntervalMs': availability(),
  '.front': deployment(),
  '.front.servicePort': destination(),
  '.front.podTemplate': deployment('digest'),
  '.front.isOutgoingOpen': compareByRank('trust', [false, true]),
  '.front.deployment.labels{}': deployment('digest'),
  '.front.deployment.annotations{}': deployment('digest'),
  '.front.service.labels{}': deployment('digest'),
  '.front.service.annotations{}': deployment('digest'),
};

function hasEmbeddingSecret(embeddings: unknown): boolean {
  return hasMember(embeddings, 'apiKey') || hasItems(embeddings, 'headers');
}

export const GATEWAY_LEAVES: Leaves = {
  // Exposures of different names or formats are never compared.
  formatVersion: NONE,
  kind: NONE,
  namespace: NONE,
  name: NONE,
  'origin.compilerVersion': NONE,
  'origin.sourceRevision': NONE,
  // If `front` differs, the bundles belong to different kinds of objects, and are not compared.
  front: NONE,
  // This list follows from the features that the plan uses.
  requires: NONE,
  ...prefixLeaves('secrets[]', SECRET_REQUIREMENT),
  'secrets[#]': NONE,
  'server.name': presentation(),
  'server.metadata{}': presentation(),
  ...prefixLeaves('incomingAuth', INCOMING),
  ...prefixLeaves('authServer', AUTH_SERVER_LEAVES),
  ...prefixLeaves('authorization', AUTHORIZATION),
  // Backends trust headers, and callers control these.
  passthroughHeaders: calmCredential(OF_HEADERS),
  ...prefixLeaves('backends[]', BACKEND),
  'backends[#]': NONE,
  'aggregation.strategy': DERIVED,
  'aggregation.priorityOrder': DERIVED,
  'operational.logLevel': availability(),
  'operational.partialFailure': availability(),
  'operational.health.intervalMs': availability(),
  'operational.health.timeoutMs': availability(),
  'operational.health.unhealthyThreshold': availability(),
  'operational.circuitBreaker': availability(),
  'operational.circuitBreaker.failureThreshold': availability(),
  'operational.circuitBreaker.timeoutMs': availability(),
  ...prefixLeaves('rateLimiting', RATE_LIMIT_LEAVES),
  // The exposure itself says what is listed.
  optimizer: presentation(),
  'optimizer.maxTools': presentation(),
  'optimizer.semanticRatio': presentation(),
  'optimizer.distanceThreshold': presentation(),
  // Tool descriptions and search queries are sent to this service.
  'optimizer.embeddings': secretDestinationPart(hasEmbeddingSecret),
  'optimizer.embeddings.provider': destination(),
  'optimizer.embeddings.url': secretDestination(hasEmbeddingSecret, 'url'),
  'optimizer.embeddings.model': presentation(),
  'optimizer.embeddings.headers[]': secret(),
  // Headers are sorted by name, so their order means nothing.
  'optimizer.embeddings.headers[#]': NONE,
  'optimizer.embeddings.headers[].name': secret(),
  'optimizer.embeddings.headers[].value': secret('digest'),
  'optimizer.embeddings.apiKey': secret(),
  ...prefixLeaves('optimizer.embeddings.apiKey', SECRET_SOURCE_LEAVES),
  'optimizer.embeddings.timeoutMs': availability(),
  'optimizer.embeddings.addresses': compareByRank('trust', ['public', 'private', 'any']),
  sessionStorage: secretDestinationPart(hasRedisPassword),
  ...prefixLeaves('sessionStorage.redis', REDIS_LEAVES),
  'sessionStorage.keyPrefix': destination(),
  ...prefixLeaves('audit', AUDIT_LEAVES),
  ...prefixLeaves('telemetry', TELEMETRY_LEAVES),
  workflows: NONE,
  ...prefixLeaves('workflows[]', WORKFLOW_LEAVES),
  // Workflows are sorted by name, so their order means nothing.
  'workflows[#]': NONE,
  ...prefixLeaves('deployment', DEPLOYMENT),
};
