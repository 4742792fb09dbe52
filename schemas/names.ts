/** Every name that is ours to choose, once. */
import { VERSION } from './version.ts';

/** The API group of our own kinds and CRDs. */
export const API_GROUP = 'lintel.dev';

/** Groups whose manifests compile unchanged; the first is ours. */
export const ACCEPTED_API_GROUPS: readonly string[] = [API_GROUP, 'toolhive.stacklok.dev'];

/** What the names of exported servers start with, by the API group of the annotations that export them. */
export const EXPORT_NAMESPACES: { readonly [group: string]: string } = {
  [API_GROUP]: 'dev.lintel.k8s',
  'toolhive.stacklok.dev': 'com.toolhive.k8s',
};

/** Under which name we write into the publisher's metadata of a server. */
export const ENTRY_VENDOR = 'dev.lintel';

/** Kinds of those groups that are not ours: another product's, and nothing that a gateway is made of. */
export const FOREIGN_KINDS: readonly string[] = ['MCPWebhookConfig'];

/** Kinds that only our own group has. */
export const OWN_KINDS: readonly string[] = ['GatewaySource'];

/** The version that clusters store. */
export const STORAGE_VERSION = 'v1beta1';

/** Still served and accepted, with a deprecation warning; same schema as {@link STORAGE_VERSION}. */
export const DEPRECATED_VERSION = 'v1alpha1';

/** Domain of labels, annotations and finalizers. */
export const LABEL_DOMAIN = 'lintel.dev';

/** Prefix of every environment variable we define, with the underscore. */
export const ENV_PREFIX = 'LINTEL_';

/** Root of files mounted into pods. */
export const MOUNT_ROOT = '/etc/lintel';

/** Prefix of Prometheus metric names. */
export const METRIC_PREFIX = 'lintel_';

/** TCP port of the gateway's MCP listener. */
export const GATEWAY_PORT = 4483;

/** Where `lintel-bridge` listens by default, and where a bundle expects it: on loopback only. */
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

/** Path that the messages of the older HTTP+SSE transport are posted to, next to {@link SSE_PATH}. */
export const MESSAGES_PATH = '/messages';

/** File name of the tool lock. */
export const LOCK_FILE = 'lintel.lock.json';

/** File name of the types of its tools. */
export const TYPES_FILE = 'lintel.lock.ts';

/** Bumped when a compiler that knows the previous number would misread the tool lock. */
export const LOCK_VERSION = 1;

/** DNS suffix of Services in a cluster with the default cluster domain. */
export const CLUSTER_SERVICE_DOMAIN = 'svc.cluster.local';

/** Who applies objects, in their `managedFields`. */
export const FIELD_MANAGER = 'lintel';

/** Who writes status. */
export const STATUS_MANAGER = 'lintel-status';

/** Digest of the bundle that a pod template is for: annotation of templates and bundle ConfigMaps. */
export const DIGEST_ANNOTATION: string = `${LABEL_DOMAIN}/bundle-digest`;

/** On a GatewaySource: reconcile now. Any new value counts. */
export const REQUESTED_AT_ANNOTATION: string = `${LABEL_DOMAIN}/requested-at`;

/** On a GatewaySource: a forge reported that there may be something new. Only wakes it: the right to push must not release what is held. */
export const HOOK_AT_ANNOTATION: string = `${LABEL_DOMAIN}/hook-at`;

/** On a GatewaySource: the revision that may delete what guards hold back. */
export const ALLOW_DELETIONS_ANNOTATION: string = `${LABEL_DOMAIN}/allow-deletions`;

/** On a VirtualMCPServer or MCPRegistry: `disabled` for no NetworkPolicy. */
export const NETWORK_POLICY_ANNOTATION: string = `${LABEL_DOMAIN}/network-policy`;

/** On any object of ours: JSON list of the places (RFC 6901) that a program set past the constructs of `lintel/cdk8s`. */
export const ESCAPE_HATCHES_ANNOTATION: string = `${LABEL_DOMAIN}/escape-hatches`;

/** On a VirtualMCPServer: JSON list of what callers can and cannot do, which every compilation checks. */
export const EXPECTATIONS_ANNOTATION: string = `${LABEL_DOMAIN}/expectations`;

/** Label of ConfigMaps of the cluster that are compiled in: `Enabled`. */
export const WATCH_LABEL: string = `${LABEL_DOMAIN}/watch`;

/** Its value. */
export const WATCH_ENABLED = 'Enabled';

/** Keeps a GatewaySource until its objects are gone. */
export const SOURCE_FINALIZER: string = `${LABEL_DOMAIN}/source`;

/** Image of the runtime in pods; `--image` names it where a registry has it. */
export const RUNTIME_IMAGE: string = `lintel-runtime:${VERSION}`;

/** Image from which the pods of servers that speak over their standard streams get a bridge; `--bridge-image` names it where a registry has it. */
export const BRIDGE_IMAGE: string = `lintel-bridge:${VERSION}`;
