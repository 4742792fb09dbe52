/** The public face of the schemas room: names, the bundle format and what is generated from the kinds. */
export { canonicalJson } from './bundle/canonical-json.ts';
export { digestDirectory, digestOf } from './bundle/digest.ts';
export {
  type AddressPolicy,
  type AggregationPlan,
  type AuthorizationPlan,
  type BackendPlan,
  type BackendToolPlan,
  type BackendTransport,
  BUNDLE_FILE,
  BUNDLE_FORMAT_VERSION,
  type BundleIndex,
  type BundleIndexEntry,
  type ConflictStrategy,
  type DeploymentPlan,
  type GatewayBundle,
  INDEX_FILE,
  type IncomingAuthPlan,
  type OperationalPlan,
  type RuntimeFeature,
  type SecretRequirement,
  type ServerIdentity,
  type ToolOverridePlan,
} from './bundle/format.ts';
export {
  ACCEPTED_API_GROUPS,
  API_GROUP,
  CLUSTER_SERVICE_DOMAIN,
  DEPRECATED_VERSION,
  ENV_PREFIX,
  GATEWAY_PORT,
  INTERNAL_PORT,
  LABEL_DOMAIN,
  MCP_PATH,
  METRIC_PREFIX,
  MOUNT_ROOT,
  STORAGE_VERSION,
} from './names.ts';
