import { auditEvents } from './audit-events.ts';
import { auditFile } from './audit-file.ts';
import { auditSize } from './audit-size.ts';
import { authServerCoupling } from './auth-server-coupling.ts';
import { authServerReference } from './auth-server-reference.ts';
import { authServerState } from './auth-server-state.ts';
import { authServerStorage } from './auth-server-storage.ts';
import { authServerUrls } from './auth-server-urls.ts';
import { authorizationPresence } from './authorization-presence.ts';
import { awsRoles } from './aws-roles.ts';
import { caBundleNames } from './ca-bundle-names.ts';
import { cedarSyntax } from './cedar-syntax.ts';
import { collectionIsNoList } from './collection-is-no-list.ts';
import { compositeBasics } from './composite-basics.ts';
import { compositeCaps } from './composite-caps.ts';
import { compositeGraph } from './composite-graph.ts';
import { compositeOutput } from './composite-output.ts';
import { compositeRetry } from './composite-retry.ts';
import { compositeSchemas } from './composite-schemas.ts';
import { compositeStepOutputs } from './composite-step-outputs.ts';
import { compositeSteps } from './composite-steps.ts';
import { compositeTemplates } from './composite-templates.ts';
import { compositeTimeouts } from './composite-timeouts.ts';
import { conditionNeverDecides } from './condition-never-decides.ts';
import { confidentialClients } from './confidential-clients.ts';
import { contactedHosts } from './contacted-hosts.ts';
import { defaultResultsMissing } from './default-results-missing.ts';
import { duplicateCompositeTool } from './duplicate-composite-tool.ts';
import { emptyIdentifiers } from './empty-identifiers.ts';
import { escapeHatch } from './escape-hatch.ts';
import { exchangeTokenUrl } from './exchange-token-url.ts';
import { forwardedHeaders } from './forwarded-headers.ts';
import { gatewaySource } from './gateway-source.ts';
import { healthCheckTiming } from './health-check-timing.ts';
import { ignoredPrimaryUpstream } from './ignored-primary-upstream.ts';
import { injectedHeaders } from './injected-headers.ts';
import { invalidIdentityPath } from './invalid-identity-path.ts';
import { invalidParameters } from './invalid-parameters.ts';
import { knownCredentials } from './known-credentials.ts';
import { knownUpstreams } from './known-upstreams.ts';
import { literalSecrets } from './literal-secrets.ts';
import { matchers } from './matchers.ts';
import { objectNames } from './object-names.ts';
import { oboSettings } from './obo-settings.ts';
import { oidcConfigUrls } from './oidc-config-urls.ts';
import { optimizerEmbeddings } from './optimizer-embeddings.ts';
import { optimizerRanges } from './optimizer-ranges.ts';
import { overruledSignIn } from './overruled-sign-in.ts';
import { parameterMayBeUnset } from './parameter-may-be-unset.ts';
import { placeholderUrl } from './placeholder-url.ts';
import { podTemplates } from './pod-templates.ts';
import { podValues } from './pod-values.ts';
import { policySources } from './policy-sources.ts';
import { primaryUpstream } from './primary-upstream.ts';
import { proxyAuthServer } from './proxy-auth-server.ts';
import { rateLimits } from './rate-limits.ts';
import { redisAddresses } from './redis-addresses.ts';
import { refusedPods } from './refused-pods.ts';
import { registryExport } from './registry-export.ts';
import { remoteUrl } from './remote-url.ts';
import { resourceUrl } from './resource-url.ts';
import type { Rule } from './rule.ts';
import { sessionStorage } from './session-storage.ts';
import { settingOfAProxy } from './setting-of-a-proxy.ts';
import { sharedAudience } from './shared-audience.ts';
import { sharedObjectName } from './shared-object-name.ts';
import { sharedServiceName } from './shared-service-name.ts';
import { shortHmacSecret } from './short-hmac-secret.ts';
import { staticBackends } from './static-backends.ts';
import { stdioReplicas } from './stdio-replicas.ts';
import { strategyBlocks } from './strategy-blocks.ts';
import { subjectTokenTypes } from './subject-token-types.ts';
import { syntheticIdentity } from './synthetic-identity.ts';
import { targetTokenUrl } from './target-token-url.ts';
import { telemetryEndpoint } from './telemetry-endpoint.ts';
import { telemetryHeaders } from './telemetry-headers.ts';
import { templateUndeclaredStep } from './template-undeclared-step.ts';
import { timeouts } from './timeouts.ts';
import { timeoutsAddUp } from './timeouts-add-up.ts';
import { tokenLifespans } from './token-lifespans.ts';
import { toolNames } from './tool-names.ts';
import { trustedIssuers } from './trusted-issuers.ts';
import { unauthenticatedBackends } from './unauthenticated-backends.ts';
import { unboundedList } from './unbounded-list.ts';
import { unsupportedScope } from './unsupported-scope.ts';
import { unusableForm } from './unusable-form.ts';
import { unusableSigningKey } from './unusable-signing-key.ts';
import { unverifiedRedis } from './unverified-redis.ts';
import { upstreamProviders } from './upstream-providers.ts';
import { variableNames } from './variable-names.ts';

export type { Rule } from './rule.ts';

/** Every rule, in the order in which its findings are easiest to read. */
export const RULES: readonly Rule[] = [
  remoteUrl,
  staticBackends,
  placeholderUrl,
  contactedHosts,
  healthCheckTiming,
  timeouts,
  sessionStorage,
  settingOfAProxy,
  stdioReplicas,
  podTemplates,
  refusedPods,
  podValues,
  rateLimits,
  // Sources of specs.
  gatewaySource,
  // Incoming authentication.
  authServerCoupling,
  authServerReference,
  proxyAuthServer,
  authServerUrls,
  authServerStorage,
  redisAddresses,
  tokenLifespans,
  shortHmacSecret,
  unusableSigningKey,
  authServerState,
  unverifiedRedis,
  confidentialClients,
  upstreamProviders,
  invalidIdentityPath,
  syntheticIdentity,
  primaryUpstream,
  ignoredPrimaryUpstream,
  trustedIssuers,
  unsupportedScope,
  oidcConfigUrls,
  emptyIdentifiers,
  resourceUrl,
  sharedAudience,
  authorizationPresence,
  overruledSignIn,
  policySources,
  cedarSyntax,
  // Requests to backends.
  unauthenticatedBackends,
  strategyBlocks,
  knownUpstreams,
  exchangeTokenUrl,
  subjectTokenTypes,
  oboSettings,
  injectedHeaders,
  forwardedHeaders,
  awsRoles,
  matchers,
  targetTokenUrl,
  literalSecrets,
  knownCredentials,
  // Workflows.
  compositeBasics,
  compositeGraph,
  compositeSteps,
  compositeRetry,
  invalidParameters,
  compositeSchemas,
  unusableForm,
  compositeOutput,
  compositeTimeouts,
  compositeCaps,
  timeoutsAddUp,
  unboundedList,
  compositeTemplates,
  conditionNeverDecides,
  collectionIsNoList,
  templateUndeclaredStep,
  parameterMayBeUnset,
  compositeStepOutputs,
  defaultResultsMissing,
  duplicateCompositeTool,
  toolNames,
  // Rules about all other fields.
  optimizerEmbeddings,
  optimizerRanges,
  auditEvents,
  auditFile,
  auditSize,
  telemetryEndpoint,
  telemetryHeaders,
  variableNames,
  sharedObjectName,
  sharedServiceName,
  caBundleNames,
  registryExport,
  escapeHatch,
  objectNames,
];
