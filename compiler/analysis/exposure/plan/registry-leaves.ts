/** Every leaf of a registry server's bundle, and what a change of it means. */

import { AUDIT_LEAVES } from './audit-leaves.ts';
import {
  access,
  availability,
  compareByRank,
  DERIVED,
  deployment,
  destination,
  type Leaves,
  NONE,
  opens,
  prefixLeaves,
  presentation,
} from './leaf.ts';
import { calmCredential } from './secret-leaves.ts';
import { TELEMETRY_LEAVES } from './telemetry-leaves.ts';
import { RESOURCE_METADATA_LEAVES, TOKEN_PROVIDER_LEAVES } from './token-provider-leaves.ts';

const AUTH: Leaves = {
  '.mode': DERIVED,
  '.realm': presentation(),
  ...prefixLeaves('.resourceMetadata', RESOURCE_METADATA_LEAVES),
  '.providers[]': opens('access'),
  '.providers[#]': access(),
  ...prefixLeaves('.providers[]', TOKEN_PROVIDER_LEAVES),
};

/** A required claim with its allowed values. */
const CLAIMS: Leaves = { '': DERIVED, '{}': DERIVED };

const OF_CREDENTIALS = 'the comparison of what is sent to each source raises the alarm';

const ORIGIN: Leaves = {
  '.type': destination(),
  '.repository': destination('url'),
  '.ref.type': destination(),
  '.ref.name': destination(),
  '.path': destination(),
  '.credentials': calmCredential(OF_CREDENTIALS),
  '.credentials.type': calmCredential(OF_CREDENTIALS),
  '.credentials.tokenFile': calmCredential(OF_CREDENTIALS),
  '.credentials.username': calmCredential(OF_CREDENTIALS),
  '.credentials.passwordFile': calmCredential(OF_CREDENTIALS),
  '.endpoint': destination('url'),
  '.url': destination('url'),
  '.timeoutMs': availability(),
  '.entries.path': NONE,
  '.entries.digest': DERIVED,
  '.entries.count': NONE,
  '.entries.origin': presentation(),
};

const SOURCE: Leaves = {
  '': DERIVED,
  '.name': access(),
  ...prefixLeaves('.from', ORIGIN),
  '.intervalMs': availability(),
  '.filter.names.include': DERIVED,
  '.filter.names.exclude': DERIVED,
  '.filter.tags.include': DERIVED,
  '.filter.tags.exclude': DERIVED,
  ...prefixLeaves('.claims', CLAIMS),
};

const DEPLOYMENT: Leaves = {
  '': deployment(),
  '.displayName': presentation(),
  '.imagePullSecrets[]': deployment(),
  '.imagePullSecrets[#]': NONE,
  '.imagePullSecrets[].name': deployment(),
  '.podTemplateSpec': deployment('digest'),
  '.networkPolicy': compareByRank('trust', [true, false]),
  '.volumes': deployment('digest'),
  '.volumeMounts': deployment('digest'),
};

export const REGISTRY_LEAVES: Leaves = {
  // Bundles of different names or formats are not compared.
  formatVersion: NONE,
  kind: NONE,
  namespace: NONE,
  name: NONE,
  'origin.compilerVersion': NONE,
  'origin.sourceRevision': NONE,
  // This list follows from the features that the plan uses.
  requires: NONE,
  'files[]': NONE,
  'files[#]': NONE,
  'files[].path': NONE,
  'files[].use': NONE,
  ...prefixLeaves('auth', AUTH),
  'authorization.type': DERIVED,
  'authorization.roles.superAdmin': DERIVED,
  // This server has no route that changes anything; other programs that read the configuration may have such routes.
  'authorization.roles.manageSources': presentation(),
  'authorization.roles.manageRegistries': presentation(),
  'authorization.roles.manageEntries': presentation(),
  'authorization.ruleCount': NONE,
  publicPaths: DERIVED,
  'routes[]': DERIVED,
  'routes[#]': NONE,
  'routes[].method': DERIVED,
  'routes[].path': DERIVED,
  'routes[].access': DERIVED,
  'routes[].registry': DERIVED,
  ...prefixLeaves('sources[]', SOURCE),
  'sources[#]': NONE,
  'registries[]': DERIVED,
  'registries[#]': NONE,
  'registries[].name': DERIVED,
  'registries[].sources': DERIVED,
  ...prefixLeaves('registries[].claims', CLAIMS),
  ...prefixLeaves('audit', AUDIT_LEAVES),
  ...prefixLeaves('telemetry', TELEMETRY_LEAVES),
  ...prefixLeaves('deployment', DEPLOYMENT),
};
