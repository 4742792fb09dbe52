/** The public interface of `lintel/cdk8s`. */
export type { specs } from '#schemas';
export {
  AuthServer,
  type AuthServerIssuer,
  type AuthServerProps,
  type ConfidentialClients,
} from './auth-server/auth-server.ts';
export type { AuthServerRedis, AuthServerStorage } from './auth-server/storage.ts';
export {
  type AuthorizationParameters,
  type OAuth2UpstreamProps,
  type OidcUpstreamProps,
  Upstream,
  type UpstreamClient,
  type UpstreamEndpoints,
  type UpstreamRegistration,
} from './auth-server/upstream.ts';
export {
  type AnyBackend,
  Backend,
  type BackendResource,
  type EntryProps,
  type ExistingProps,
  type InlineBackend,
  type InlineProps,
  type NoTools,
  type Prompt,
  type RemoteProps,
  type ServerProps,
  type ToolNameOf,
} from './backend.ts';
export { Caller, type CallerTest } from './caller.ts';
export { type ConflictStrategy, Conflicts, type PrefixProps } from './conflicts.ts';
export { Authorization, type CedarEntity, type CedarUid, type GrantedProps } from './gateway/authorization.ts';
export type { OwnToolDefinition, SharedToolDefinition } from './gateway/draft.ts';
export type { CallerExpectation, Expectations, ExpectedTool, TokenClaims } from './gateway/expectations.ts';
export { Gateway, type GrantOptions } from './gateway/gateway.ts';
export type { GatewayProps } from './gateway/gateway-props.ts';
export type { Presentation } from './gateway/offer.ts';
export * from './generated/objects.ts';
export { cedar } from './grants/cedar.ts';
export type { Callable, Grant, OwnTool, UriPrefix } from './grants/grant.ts';
export { Group, type GroupProps, type GroupReference } from './group.ts';
export type { GroupClaims } from './incoming-auth/group-claims.ts';
export { Incoming, type IncomingParts, type ReferringParts, type WrittenParts } from './incoming-auth/incoming.ts';
export {
  type InsecureIssuerProps,
  type Introspection,
  Oidc,
  type OidcIssuer,
  type OidcProps,
  type SecureIssuerProps,
  type ServiceAccountProps,
} from './incoming-auth/oidc.ts';
export type { OidcAudience } from './incoming-auth/oidc-audience.ts';
export type { WrittenOidcProps } from './incoming-auth/written-oidc.ts';
export { type LintelKind, LintelObject, type LintelObjectProps } from './lintel-object.ts';
export type { BoundStrategy, Outgoing, OutgoingStrategy } from './outgoing.ts';
export type { AwsRoleMapping, AwsRoles, AwsStsProps, RoleArn } from './outgoing-auth/aws-sts.ts';
export type { CrossAppProps, CrossAppTarget } from './outgoing-auth/cross-app.ts';
export type { AuthReference } from './outgoing-auth/external-auth.ts';
export type { OboTarget, OnBehalfOfProps } from './outgoing-auth/on-behalf-of.ts';
export { type HeaderProps, OutgoingAuth, type UpstreamInjectProps } from './outgoing-auth/outgoing-auth.ts';
export { type BearerTokenProps, ProxyAuth } from './outgoing-auth/proxy-auth.ts';
export type { TokenExchangeProps } from './outgoing-auth/token-exchange.ts';
export type { BoundPart, GatewayPart } from './part.ts';
export type { RedisSentinels } from './redis.ts';
export type { Claims } from './registry/claims.ts';
export { Registry, type RegistryProps } from './registry/registry.ts';
export { RegistryAuth, type RegistryOAuthProps, type RegistryRoles } from './registry/registry-auth.ts';
export type { RegistryConfigProps, RegistryViewProps } from './registry/registry-config.ts';
export { RegistryFile, type RegistryFileProps } from './registry/registry-file.ts';
export { type ClusterProviderProps, type OidcProviderProps, RegistryProvider } from './registry/registry-provider.ts';
export {
  type ApiSourceProps,
  type GitCredentials,
  type GitReference,
  type GitRepository,
  type GitSourceProps,
  type KubernetesSourceProps,
  type LocalFileSourceProps,
  type ProjectFileSourceProps,
  RegistrySource,
  type UrlSourceProps,
} from './registry/registry-source.ts';
export { type CaFile, type SecretFile, ServerFile } from './registry/server-file.ts';
export { WrittenRegistryFile } from './registry/written-registry-file.ts';
export type { NamingProps } from './resource.ts';
export { type RedisProps, Sessions } from './sessions.ts';
export {
  type CollectorProps,
  Telemetry,
  type TelemetryProps,
  type TelemetryReference,
  type Traces,
} from './telemetry.ts';
export {
  bindTools,
  type LockedBackend,
  lockedBackend,
  type Tool,
  type ToolSignature,
  type ToolSignatures,
  type ToolsOf,
  unlockedCatalog,
  type ValueKind,
} from './tool.ts';
export { Tools, type ToolTest } from './tools.ts';
export { CaBundle } from './values/ca-bundle.ts';
export type { OAuthClient } from './values/oauth-client.ts';
export type { AbsolutePath } from './values/path.ts';
export type { Period } from './values/period.ts';
export { Secret, type SecretKey } from './values/secret.ts';
export { type HttpsUrl, type HttpUrl, httpsUrl, type LoopbackUrl, type SafeUrl } from './values/url.ts';
export { Condition, type When } from './workflow/condition.ts';
export type { Fields, InputSpec, ObjectSchema, StandardJsonSchema } from './workflow/fields.ts';
export type { OutputProperties, OutputProperty } from './workflow/output.ts';
export { type ArgumentValue, type Ref, type Reference, type Text, t } from './workflow/reference.ts';
export type {
  AnyStep,
  ArgumentsOf,
  AskOptions,
  Duration,
  ForEachOptions,
  ForEachOutput,
  OnError,
  OutputOf,
  Retry,
  Step,
  StepOptions,
} from './workflow/step.ts';
export { Value } from './workflow/value.ts';
export { Workflow, type WorkflowHost } from './workflow/workflow.ts';
export type { CompositeTool, WorkflowProps } from './workflow/workflow-base.ts';
export { WorkflowDefinition, type WorkflowDefinitionProps } from './workflow/workflow-definition.ts';
export { WrittenWorkflow } from './workflow/written-workflow.ts';
