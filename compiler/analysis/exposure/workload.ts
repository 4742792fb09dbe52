/**
 * What runs behind a gateway according to the object of a backend or of an embedding server, field by field. The gateway's bundle has none of it: it only
 * has the address. So a difference of bundles alone would not show another image.
 */
import { API_GROUP, compareText, getMember, isObject } from '#schemas';
import type { Inventory, Resource } from '../../resolve/inventory.ts';
import { findReferences } from '../../resolve/references.ts';
import { listProgramSecrets } from '../../source/program-secrets.ts';
import type { BackendModel, GatewayModel } from '../gateway/model.ts';
import { computeDefinitionDigest } from './definition-digest.ts';
import type { Workload } from './exposure.ts';
import { formatSortedJson } from './plan/sorted-json.ts';

/** The kinds of objects that describe pods or a program. */
const KINDS: ReadonlySet<string> = new Set(['MCPServer', 'MCPRemoteProxy', 'EmbeddingServer']);

/** Fields that the backend itself shows, by its presence, its address or its transport. */
const SHOWN_BY_BACKEND: ReadonlySet<string> = new Set(['groupRef', 'proxyPort', 'proxyMode', 'remoteUrl']);

/** Fields about callers of a server. If Lintel serves the server, they are in a bundle of the server itself, which is compared by its meaning. */
const OF_OWN_BUNDLE: ReadonlySet<string> = new Set([
  'audit',
  'authServerRef',
  'authzConfig',
  'authzConfigRef',
  'endpointPrefix',
  'externalAuthConfigRef',
  'oidcConfigRef',
  'rateLimiting',
  'sessionStorage',
  'telemetryConfigRef',
  'toolConfigRef',
  'trustProxyHeaders',
]);

/** Fields without secrets, except for arguments that seem to be secrets. All other fields appear as digests. */
const READABLE: ReadonlySet<string> = new Set([
  'args',
  'backendReplicas',
  'command',
  'image',
  'mcpPort',
  'model',
  'permissionProfile',
  'process',
  'replicas',
  'resources',
  'serviceAccount',
  'sessionAffinity',
  'transport',
  'volumes',
  'workingDir',
]);

/** What runs for a backend, field by field. Empty for a backend that these sources only know by its URL. */
export function describeWorkload(gateway: GatewayModel, { origin, location }: BackendModel): Workload {
  const { resource } = origin;
  // The plan has the credential that the gateway sends itself.
  const sent = location === null ? undefined : formatKey(location.holder);
  return describeResource(resource, gateway.inventory, sent);
}

/** @param sent the object whose credential the gateway sends itself */
export function describeResource(resource: Resource, inventory: Inventory, sent?: string): Workload {
  const { kind, spec, document } = resource;
  if (!KINDS.has(kind)) return {};
  const isShown = (field: string) =>
    !SHOWN_BY_BACKEND.has(field) && !(document.group === API_GROUP && OF_OWN_BUNDLE.has(field));
  const named = listReferred(resource, inventory);
  const fields = Object.entries(spec)
    .filter(([field, value]) => value !== undefined && isShown(field))
    .filter(([field, value]) => field !== 'externalAuthConfigRef' || formatAuthConfigKey(value) !== sent)
    .map(([field, value]) => [`spec.${field}`, formatField(kind, field, value)] as const);
  const objects = [...named].filter(([key]) => key !== sent);
  return Object.fromEntries([...fields, ...objects].sort(([a], [b]) => compareText(a, b)));
}

function formatField(kind: string, field: string, value: unknown): string {
  const isReadable = READABLE.has(field) && listProgramSecrets(kind, { [field]: value }).length === 0;
  if (!isReadable) return computeDefinitionDigest(value);
  return typeof value === 'string' ? value : formatSortedJson(value);
}

/**
 * The digests of all objects that decide with the object what runs, by kind and name. The operator of another API group reads them; what Lintel serves
 * itself has a bundle of its own, with their content.
 */
function listReferred(resource: Resource, inventory: Inventory): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (resource.document.group === API_GROUP) return found;
  const follow = ({ kind, namespace, spec }: Resource): void => {
    for (const reference of findReferences(kind, spec)) {
      // The values of Secrets are not compared.
      if (reference.kind === 'Secret' || reference.kind === 'MCPGroup') continue;
      const target = inventory.find(reference.kind, namespace, reference.name);
      const key = formatKey(reference);
      if (target === undefined || found.has(key)) continue;
      found.set(key, computeDefinitionDigest(readContent(target)));
      follow(target);
    }
  };
  follow(resource);
  return found;
}

/** The spec of an object. A ConfigMap has none: then its data, without its metadata. */
function readContent({ kind, spec }: Resource): unknown {
  if (kind !== 'ConfigMap' || !isObject(spec)) return spec;
  return [getMember(spec, 'data'), getMember(spec, 'binaryData')];
}

function formatAuthConfigKey(reference: unknown): string {
  return formatKey({ kind: 'MCPExternalAuthConfig', name: String(getMember(reference, 'name')) });
}

function formatKey({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind} ${name}`;
}
