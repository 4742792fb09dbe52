/** The public interface of the schemas room: names, the bundle format and everything generated from the kinds. */
export {
  type AddressClass,
  type AddressPolicy,
  classifyAddress,
  findRefusedAddress,
  findRefusedHost,
  isNeverReached,
  isPrivateException,
  listDenialArguments,
  METADATA_BLOCKS,
  METADATA_HOSTS,
  PLATFORM_HOSTS,
  PRIVATE_HOSTS,
  type PrivateDenial,
} from './addresses.ts';
export {
  AUDIT_COLLECTOR_VARIABLE,
  AUDIT_EVENTS,
  type AuditEvent,
  type AuditPlan,
  REGISTRY_AUDIT_EVENTS,
} from './bundle/audit.ts';
export {
  appendToChain,
  CHAIN_START,
  type ChainHead,
  type ChainPosition,
  parseChainPosition,
} from './bundle/audit-chain.ts';
export {
  AUTH_SERVER_PATHS,
  type AuthServerPlan,
  type DelegateClientPlan,
  type OAuth2UpstreamPlan,
  type OidcUpstreamPlan,
  type TrustedIssuerPlan,
  type UpstreamPlan,
  type UpstreamRegistrationPlan,
  type UserInfoPlan,
} from './bundle/auth-server.ts';
export type { AuthorizationPlan, CedarEntityPlan, CedarPlan, CedarPolicyPlan } from './bundle/authorization.ts';
export { formatCanonicalJson } from './bundle/canonical-json.ts';
export type { CatalogItem } from './bundle/catalog-item.ts';
export { type CedarReads, readCedarUses } from './bundle/cedar-reads.ts';
export {
  ANONYMOUS_PRINCIPAL,
  buildCedarAttributes,
  buildCedarPrincipal,
  buildCedarRequest,
  CEDAR_ACTIONS,
  type CedarAction,
  type CedarCaller,
  type CedarPrincipal,
  type CedarRequest,
  type CedarTarget,
  type CedarValue,
  type EntityUid,
  readGroups,
  TOOL_HINTS,
  toCedarArguments,
} from './bundle/cedar-request.ts';
export { coerce, coerceArgument } from './bundle/coerce.ts';
export { MAX_PARTS, toCompressedPath, toPartPath, toPlainPath } from './bundle/compressed-files.ts';
export { computeDigest, toDigestDirectory } from './bundle/digest.ts';
export { foldName } from './bundle/fold-name.ts';
export {
  type AddedMetadata,
  type AggregationPlan,
  type BackendPlan,
  type BackendToolPlan,
  type BackendTransport,
  BUNDLE_FILE,
  BUNDLE_FORMAT_VERSION,
  type BundleIndex,
  type BundleIndexEntry,
  type CircuitBreakerPlan,
  type ConflictStrategy,
  type DeploymentPlan,
  type FrontDeploymentPlan,
  type GatewayBundle,
  INDEX_FILE,
  type LockedNamesPlan,
  type OperationalPlan,
  type RuntimeFeature,
  type ServerFront,
  type ServerIdentity,
  type ServerIndexEntry,
  type ToolOverridePlan,
} from './bundle/format.ts';
export {
  hasLineBreak,
  isCarrierHeader,
  isCredentialHeader,
  isHeaderName,
  isHeaderValue,
  isProtocolHeader,
  isRestrictedHeader,
} from './bundle/header-name.ts';
export { findIdleSettings, type IdleSetting } from './bundle/idle-settings.ts';
export type { IncomingAuthPlan, TokenAuthPlan } from './bundle/incoming-auth.ts';
export { computeItemDigest } from './bundle/item-digest.ts';
export {
  type BackendNames,
  type Holder,
  isAdvertised,
  listPossibleNames,
  mayShow,
  type NamedItem,
  type NameResolution,
  resolvePromptNames,
  resolveToolNames,
  type WithheldItem,
  type WithholdReason,
} from './bundle/item-names.ts';
export {
  type BackendFailing,
  type BackendOffering,
  type BackendQuery,
  type BackendResponse,
  type CallQuery,
  type CallResponse,
  type ListQuery,
  UNAVAILABLE_BACKENDS_META,
  type UnavailableBackends,
} from './bundle/listing.ts';
export { type ItemKey, type ItemList, type SplitItems, splitItems, type UnfitItem } from './bundle/offered-items.ts';
export {
  type OfferedTool,
  resolveTools,
  type ToolFault,
  type ToolOffer,
  type ToolResolution,
} from './bundle/offered-tools.ts';
export { CALL_TOOL, type EmbeddingPlan, FIND_TOOL, type OptimizerPlan } from './bundle/optimizer.ts';
export type {
  AwsRoleMappingPlan,
  AwsStsPlan,
  ForwardedHeaderPlan,
  HeaderInjectionPlan,
  OAuthClientPlan,
  OboPlan,
  OutgoingAuthPlan,
  SubjectPlan,
  TokenExchangePlan,
  UpstreamInjectPlan,
  XaaPlan,
} from './bundle/outgoing-auth.ts';
export { type ParamHeader, type ParamHeaders, readParamHeaders } from './bundle/param-headers.ts';
export {
  declaresArgument,
  findAmbiguousArgument,
  findUndecidable,
  type NamedArguments,
  type PolicyArguments,
  pickNamed,
  selectPolicyArguments,
  toNamedArguments,
} from './bundle/policy-arguments.ts';
export {
  findOverride,
  presentPrompt,
  presentResource,
  presentTool,
} from './bundle/presented-item.ts';
export type { RateLimitPlan, RateLimitStorePlan, TokenBucketPlan, ToolRateLimitPlan } from './bundle/rate-limits.ts';
export type { RedisPlan, RedisTlsPlan, SessionStoragePlan } from './bundle/redis.ts';
export type {
  ClaimMap,
  EntriesFile,
  FileRequirement,
  HttpCredentialsPlan,
  RegistryAuthorizationPlan,
  RegistryAuthPlan,
  RegistryBundle,
  RegistryDeploymentPlan,
  RegistryEntry,
  RegistryFeature,
  RegistryFilterPlan,
  RegistryOrigin,
  RegistryPlan,
  RegistryRoutePlan,
  RegistrySourcePlan,
} from './bundle/registry.ts';
export { toIncomingAuthPlan } from './bundle/registry-incoming-auth.ts';
export {
  ADMIN_PATHS,
  API_DOCUMENT_PATH,
  API_DOCUMENT_YAML_PATH,
  BUILT_IN_PUBLIC_PATHS,
  INTERNAL_PATHS,
  PAGE_PARTS,
  PAGE_PATH,
  type PagePart,
  REGISTRY_PATH,
  REGISTRY_ROUTES,
  RESOURCE_METADATA_PATH,
  type RegistryApiVersion,
  type RegistryOperationType,
} from './bundle/registry-routes.ts';
export { hasClaims, listVisibleSources, type VisibleSources } from './bundle/registry-visibility.ts';
export type {
  RehearsalRecord,
  RehearsalRequest,
  RehearsalScript,
  RehearsedCall,
  RehearsedElicitation,
  RehearsedOutcome,
  RehearsedStep,
  ScriptedPerson,
  ScriptedResult,
  ScriptedTool,
} from './bundle/rehearsal.ts';
export { type BackendUris, type ResourceHolders, resolveResourceHolders } from './bundle/resource-holders.ts';
export { validateSchema } from './bundle/schema-shape.ts';
export type { SecretRequirement, SecretSource } from './bundle/secret-source.ts';
export {
  BRIDGE_TOKEN_HEADER,
  BRIDGE_TOKEN_VARIABLE,
  type BridgeConfig,
  formatBridgePath,
  type StdioPlan,
  type StdioVariable,
} from './bundle/stdio.ts';
export { type CallableTools, findOwner, findStepTool, listArgumentTypes } from './bundle/step-tools.ts';
export type { OtlpPlan, TelemetryPlan } from './bundle/telemetry.ts';
export {
  MAX_TEMPLATE_DEPTH,
  TEMPLATE_FUNCTIONS,
  type TemplateBranch,
  type TemplateCommand,
  type TemplateFunction,
  type TemplateNode,
  type TemplateOperand,
  type TemplatePipe,
  type TemplateSpan,
  type TemplateTree,
} from './bundle/template.ts';
export { formatTemplateText } from './bundle/template-text.ts';
export type { ResourceMetadataPlan, TokenProviderPlan, TrustPlan } from './bundle/token-provider.ts';
export { readScopes } from './bundle/token-scopes.ts';
export { MAX_URI_LENGTH, readUriTemplate, type Steps, UriTemplate } from './bundle/uri-template.ts';
export { listUriVariants } from './bundle/uri-variants.ts';
export { validateTool, validateToolName } from './bundle/validate-tool.ts';
export {
  type ArgumentPlan,
  type ElicitationStep,
  type ErrorPolicy,
  type ForEachStep,
  MAX_PARALLEL_STEPS,
  MAX_RETRIES,
  type OutputProperty,
  type OutputType,
  type ReferencedArgument,
  type ToolReference,
  type ToolStep,
  type UnansweredAction,
  type WorkflowCall,
  type WorkflowOutput,
  type WorkflowPlan,
  type WorkflowStep,
  type WorkflowTool,
} from './bundle/workflow.ts';
export {
  buildWorkflowDefinition,
  deriveWorkflowHints,
  isSafeBy,
  readHint,
  SAFETY_CLAIMS,
  type SafetyHint,
  WORKFLOW_FAILURE,
  type WorkflowHints,
} from './bundle/workflow-definition.ts';
export { type CheckedAuthorities, validateAuthorities } from './certificate-authorities.ts';
export { compareText } from './compare-text.ts';
export { FILE_SCHEMAS } from './file-schemas.ts';
export type { StructuralSchema } from './generate/structural-schema.ts';
/** Types of specs, with the rules of the schemas as unions; the constructs take them. */
export type * as specs from './generated/cdk8s/specs.ts';
export type {
  AggregationConfig,
  AuthzConfig,
  AwsRoleMappingStrategy,
  AwsStsStrategy,
  BackendAuth,
  BearerTokenConfig,
  CaBundleRef,
  CatalogLock,
  CircuitBreakerConfig,
  Condition,
  ConfigAuthz,
  ConfigIncomingAuth,
  ConfigOidc,
  ConfigOutgoingAuth,
  DiscoveredBackend,
  EmbeddingServer,
  EmbeddingServerStatus,
  ExternalAuthConfigRef,
  FailureHandlingConfig,
  GatewayConfig,
  GatewaySource,
  GatewaySourceSpec,
  GatewaySourceStatus,
  HeaderForward,
  HeaderInjectionConfig,
  HeaderInjectionStrategy,
  IncomingAuth,
  InlineOidc,
  LintelResource,
  LockedBackendEntry,
  LockedItem,
  MCPAuthzConfig,
  MCPExternalAuthConfig,
  MCPExternalAuthConfigSpec,
  MCPGroup,
  MCPGroupStatus,
  MCPOIDCConfig,
  MCPRegistry,
  MCPRegistryStatus,
  MCPRemoteProxy,
  MCPRemoteProxySpec,
  MCPRemoteProxyStatus,
  MCPServer,
  MCPServerEntry,
  MCPServerEntrySpec,
  MCPServerSpec,
  MCPServerStatus,
  MCPTelemetryConfig,
  MCPToolConfig,
  MCPToolConfigSpec,
  OboConfig,
  OboStrategy,
  OidcConfigRef,
  OperationalConfig,
  OutgoingAuth,
  OutgoingStrategy,
  PersonAnswer,
  ProjectBudgets,
  ProjectFile,
  ProjectPrograms,
  RegistryAuth,
  RegistryConfig,
  RegistryHttpAuth,
  RegistryOAuth,
  RegistryProvider,
  RegistrySource,
  SecretKeyRef,
  ServiceAccountOidc,
  SourceDiagnostic,
  SourceGateway,
  SourceHistoryEntry,
  StaticBackend,
  TokenExchangeConfig,
  TokenExchangeStrategy,
  ToolAnswer,
  ToolOverride,
  UpstreamInjectStrategy,
  VirtualMCPCompositeToolDefinition,
  VirtualMCPServer,
  VirtualMCPServerSpec,
  VirtualMCPServerStatus,
  WorkflowExpectation,
  WorkflowTest,
  WorkflowTestFile,
  WorkloadTools,
  XaaConfig,
  XaaStrategy,
} from './generated/types.ts';
export {
  findBasicUserProblem,
  findGitPathProblem,
  findGitRefProblem,
  findGitRepositoryProblem,
  findGitSourceProblem,
  isLocalRepository,
} from './git-names.ts';
export { validateHost } from './host-header.ts';
export { getMember, isObject, type JsonObject } from './json-object.ts';
export { KINDS_FILE, type KindSchemas } from './kinds-file.ts';
export { KNOWN_FIELDS, type KnownFields } from './known-fields.ts';
export {
  ACCEPTED_API_GROUPS,
  ALLOW_DELETIONS_ANNOTATION,
  API_GROUP,
  BRIDGE_HEALTH_PORT,
  BRIDGE_IMAGE,
  BRIDGE_PORT,
  CLUSTER_SERVICE_DOMAIN,
  DEPRECATED_VERSION,
  DIGEST_ANNOTATION,
  EMBEDDING_PORT,
  ENTRY_VENDOR,
  ENV_PREFIX,
  ESCAPE_HATCHES_ANNOTATION,
  EXPECTATIONS_ANNOTATION,
  EXPORT_NAMESPACES,
  FIELD_MANAGER,
  FOREIGN_KINDS,
  GATEWAY_PORT,
  getGroups,
  HOOK_AT_ANNOTATION,
  INTERNAL_PORT,
  LABEL_DOMAIN,
  LOCK_FILE,
  LOCK_VERSION,
  MCP_PATH,
  MESSAGES_PATH,
  METRIC_PREFIX,
  MOUNT_ROOT,
  NETWORK_POLICY_ANNOTATION,
  OWN_KINDS,
  PINNED_TOOLS_ANNOTATION,
  PROXY_PORT,
  REGISTRY_PORT,
  REQUESTED_AT_ANNOTATION,
  RUNTIME_IMAGE,
  SERVER_PORT,
  SOURCE_FINALIZER,
  SSE_PATH,
  STATUS_MANAGER,
  STORAGE_VERSION,
  TYPES_FILE,
  WATCH_ENABLED,
  WATCH_LABEL,
} from './names.ts';
export {
  buildEmbeddingServerLabels,
  buildObjectNames,
  buildSelectorLabels,
  formatBundleConfigMapName,
  formatEmbeddingServerName,
  formatEmbeddingServerUrl,
  formatServiceUrl,
  getWorkloadKind,
  OBJECT_KIND,
  type ObjectNames,
  toDnsLabel,
  toObjectName,
  type Workload,
  type WorkloadKind,
} from './object-names.ts';
export { checkServer } from './server-json/check-server.ts';
export { readTags, toRegistryEntry } from './server-json/entry.ts';
export { fitsPattern, passesFilter } from './server-json/filter.ts';
export type { ServerProblem } from './server-json/problem.ts';
export { DEFAULT_SCHEMA_DATE, formatSchemaUrl, isNewerSchema } from './server-json/published.ts';
export { readServerResponse } from './server-json/response.ts';
export { OFFICIAL_META, PUBLISHER_META } from './server-json/server-shape.ts';
export { MAX_ENTRIES, MAX_ENTRY_BYTES } from './server-json/size.ts';
export { parseSourceFileInSteps, readSourceFile, type SourceFile } from './server-json/source-file.ts';
export { toUtcTime } from './server-json/time.ts';
export { compareVersions } from './server-json/versions.ts';
export { findNodeProblem } from './supported-node.ts';
export { findTlsProblem } from './tls-environment.ts';
export { VERSION } from './version.ts';
