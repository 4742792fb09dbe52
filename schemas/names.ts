/** Every name that Lintel defines. */
import { VERSION } from './version.ts';

/** The API group of Lintel's kinds and CRDs. */
export const API_GROUP = 'lintel.dev';

/** API groups whose manifests compile unchanged; the first one is Lintel's. */
export const ACCEPTED_API_GROUPS: readonly string[] = [API_GROUP, 'toolhive.stacklok.dev'];

/** Namespaces of exported servers, by the API group of the annotations that export them. */
export const EXPORT_NAMESPACES: { readonly [group: string]: string } = {
  [API_GROUP]: 'dev.lintel.k8s',
  'toolhive.stacklok.dev': 'com.toolhive.k8s',
};

/** The vendor name for Lintel's data in the publisher's metadata of a server. */
export const ENTRY_VENDOR = 'dev.lintel';

/** Kinds of the accepted groups that another product defines and that no gateway is made of. */
export const FOREIGN_KINDS: readonly string[] = ['MCPWebhookConfig'];

/** Kinds that only Lintel's group has. */
export const OWN_KINDS: readonly string[] = ['GatewaySource'];

/** The API groups that have one of Lintel's kinds. */
export function getGroups(kind: string): readonly string[] {
  return OWN_KINDS.includes(kind) ? [API_GROUP] : ACCEPTED_API_GROUPS;
}

/** The version that clusters store. */
export const STORAGE_VERSION = 'v1beta1';

/** Still served and accepted, with a deprecation warning; same schema as {@link STORAGE_VERSION}. */
export const DEPRECATED_VERSION = 'v1alpha1';

/** Domain of labels, annotations and finalizers. */
export const LABEL_DOMAIN = 'lintel.dev';

/** Prefix of every environment variable that Lintel defines, with the underscore. */
export const ENV_PREFIX = 'LINTEL_';

/** Root of files mounted into pods. */
export const MOUNT_ROOT = '/etc/lintel';

/** Prefix of Prometheus metric names. */
export const METRIC_PREFIX = 'lintel_';

/** TCP port of the gateway's MCP listener. */
export const GATEWAY_PORT = 4483;

/** Default port of `lintel-bridge`, at which bundles expect it; on loopback only. */
export const BRIDGE_PORT = 4484;

/** TCP port of `GET /health` of a bridge in a pod. */
export const BRIDGE_HEALTH_PORT = 4485;

/** TCP port of a registry server's main listener. */
export const REGISTRY_PORT = 8080;

/** TCP port of the Service of an MCPServer or MCPRemoteProxy that names none. */
export const PROXY_PORT = 8080;

/** TCP port on which an MCPServer's image listens when its spec names none. */
export const SERVER_PORT = 8080;

/** TCP port of an embedding service that names none. */
export const EMBEDDING_PORT = 8080;

/** TCP port of the internal listener (health, readiness, version, status). */
export const INTERNAL_PORT = 8081;

/** Path of the client-facing MCP endpoint. */
export const MCP_PATH = '/mcp';

/** Path of the event stream of the older HTTP+SSE transport. */
export const SSE_PATH = '/sse';

/** Path to which clients post messages in the older HTTP+SSE transport, next to {@link SSE_PATH}. */
export const MESSAGES_PATH = '/messages';

/** File name of the tool lock. */
export const LOCK_FILE = 'lintel.lock.json';

/** File name of the generated types of the locked tools. */
export const TYPES_FILE = 'lintel.lock.ts';

/** Raised when a compiler that knows only the previous version would misread the tool lock. */
export const LOCK_VERSION = 1;

/** DNS suffix of Services in a cluster with the default cluster domain. */
export const CLUSTER_SERVICE_DOMAIN = 'svc.cluster.local';

/** Field manager of applied objects, in their `managedFields`. */
export const FIELD_MANAGER = 'lintel';

/** Field manager of status. */
export const STATUS_MANAGER = 'lintel-status';

/** Annotation of pod templates and bundle ConfigMaps: the digest of their bundle. */
export const DIGEST_ANNOTATION: string = `${LABEL_DOMAIN}/bundle-digest`;

/** On a GatewaySource: requests a reconcile now. Any new value counts. */
export const REQUESTED_AT_ANNOTATION: string = `${LABEL_DOMAIN}/requested-at`;

/**
 * On a GatewaySource: a webhook of a forge reported a push. It only triggers a check: the right to push must not approve deletions that are held
 * back.
 */
export const HOOK_AT_ANNOTATION: string = `${LABEL_DOMAIN}/hook-at`;

/** On a GatewaySource: the revision whose deletions the operator approves. */
export const ALLOW_DELETIONS_ANNOTATION: string = `${LABEL_DOMAIN}/allow-deletions`;

/** On a VirtualMCPServer or MCPRegistry: `disabled` turns the NetworkPolicy off. */
export const NETWORK_POLICY_ANNOTATION: string = `${LABEL_DOMAIN}/network-policy`;

/** On a VirtualMCPServer, MCPServer or MCPRemoteProxy: `enabled` if clients get only tools whose definitions are those of the tool lock. */
export const PINNED_TOOLS_ANNOTATION: string = `${LABEL_DOMAIN}/pinned-tools`;

/** On any Lintel object: a JSON list of the paths (RFC 6901) that a program set without the constructs of `lintel/cdk8s`. */
export const ESCAPE_HATCHES_ANNOTATION: string = `${LABEL_DOMAIN}/escape-hatches`;

/** On a VirtualMCPServer: a JSON list of what callers can and cannot do, which every compilation checks. */
export const EXPECTATIONS_ANNOTATION: string = `${LABEL_DOMAIN}/expectations`;

/** Label of ConfigMaps in the cluster that the controller compiles: `Enabled`. */
export const WATCH_LABEL: string = `${LABEL_DOMAIN}/watch`;

/** The value of `WATCH_LABEL`. */
export const WATCH_ENABLED = 'Enabled';

/** Keeps a GatewaySource until its objects are gone. */
export const SOURCE_FINALIZER: string = `${LABEL_DOMAIN}/source`;

/** Image of the runtime in pods; `--image` names one in a registry. */
export const RUNTIME_IMAGE: string = `lintel-runtime:${VERSION}`;

/** Image of the bridge for pods of stdio servers; `--bridge-image` names one in a registry. */
export const BRIDGE_IMAGE: string = `lintel-bridge:${VERSION}`;
