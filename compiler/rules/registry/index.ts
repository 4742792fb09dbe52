import { audienceOfTheCluster } from './audience-of-the-cluster.ts';
import { auditSettings } from './audit-settings.ts';
import { contactedRegistryHosts } from './contacted-registry-hosts.ts';
import { databasePasswords } from './database-passwords.ts';
import { deadClaims } from './dead-claims.ts';
import { incompleteClusterProvider } from './incomplete-cluster-provider.ts';
import { introspectionClient } from './introspection-client.ts';
import { oauthSection } from './oauth-section.ts';
import { providerAddresses } from './provider-addresses.ts';
import { providerUrls } from './provider-urls.ts';
import { publicPaths } from './public-paths.ts';
import { registryAuthorization } from './registry-authorization.ts';
import { registrySources } from './registry-sources.ts';
import { repeatedProvider } from './repeated-provider.ts';
import { resourceUrl } from './resource-url.ts';
import type { RegistryRule } from './rule.ts';
import { seenByNobody } from './seen-by-nobody.ts';
import { sourceFilters } from './source-filters.ts';
import { sourceOrigins } from './source-origins.ts';
import { sourceTypes } from './source-types.ts';
import { telemetrySettings } from './telemetry-settings.ts';

export type { RegistryRule } from './rule.ts';

/** Every rule about the configuration of a registry server, in the order in which its findings are easiest to read. */
export const REGISTRY_RULES: readonly RegistryRule[] = [
  // Authentication.
  oauthSection,
  resourceUrl,
  publicPaths,
  providerUrls,
  providerAddresses,
  audienceOfTheCluster,
  repeatedProvider,
  introspectionClient,
  incompleteClusterProvider,
  // Authorization.
  registryAuthorization,
  deadClaims,
  seenByNobody,
  // Audit and telemetry.
  auditSettings,
  telemetrySettings,
  // Sources and registries.
  sourceTypes,
  sourceOrigins,
  contactedRegistryHosts,
  sourceFilters,
  registrySources,
  databasePasswords,
];
