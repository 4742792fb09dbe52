/**
 * Migrates an object of an older ToolHive version: some fields were renamed, moved, or became objects of their own.
 *
 * @see https://docs.stacklok.com/toolhive/guides-k8s/migrate-to-v1beta1
 */
import { isObject } from '#schemas';
import type { LostPart } from '../found.ts';
import { moveSecrets } from './move-secrets.ts';
import { buildOidcObject } from './oidc-object.ts';

/** A mapping that is changed in place. */
export type MutableFields = Record<string, unknown>;

export interface MigratedObject {
  readonly value: MutableFields;
  /** Objects that were created from parts of it. */
  readonly made: readonly MutableFields[];
  /** The changes, one sentence each. */
  readonly changes: readonly string[];
  readonly lost: readonly LostPart[];
  /** Why the object is not migrated: without the part that would be lost, it would admit more callers. */
  readonly refusal: string | undefined;
  readonly secrets: readonly MovedSecret[];
}

/** A value that moves from the object into a Secret. It is written nowhere. */
export interface MovedSecret {
  readonly secret: string;
  readonly key: string;
  /** The value's path in the old object. */
  readonly place: string;
}

/** The input and output of a migration step. */
export interface Migration {
  readonly kind: string;
  readonly metadata: MutableFields;
  readonly spec: MutableFields;
  readonly apiVersion: string;
  readonly made: MutableFields[];
  readonly changes: string[];
  readonly lost: LostPart[];
  readonly secrets: MovedSecret[];
  refusal: string | undefined;
}

export const GROUP = 'toolhive.stacklok.dev';
const API_VERSION = `${GROUP}/v1beta1`;

/** Metadata members that an API server sets. */
const OF_THE_SERVER = [
  'creationTimestamp',
  'generation',
  'managedFields',
  'ownerReferences',
  'resourceVersion',
  'selfLink',
  'uid',
];

const RENAMED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  MCPServer: { port: 'proxyPort', targetPort: 'mcpPort' },
  MCPRemoteProxy: { port: 'proxyPort', remoteURL: 'remoteUrl', externalURL: 'externalUrl' },
  MCPServerEntry: { remoteURL: 'remoteUrl' },
};

/** Fields of a VirtualMCPServer that moved into its `config`. */
const OF_CONFIG = ['aggregation', 'audit', 'compositeToolRefs', 'compositeTools', 'operational', 'optimizer'];

const REMOVED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  MCPServer: { telemetry: 'write an MCPTelemetryConfig and name it in telemetryConfigRef' },
  MCPRemoteProxy: { telemetry: 'write an MCPTelemetryConfig and name it in telemetryConfigRef' },
  VirtualMCPServer: { tokenCache: 'a gateway keeps tokens in memory, and has no setting for it' },
  MCPRegistry: {
    authConfig: 'write it into configYAML: it is the configuration of the registry server now',
    databaseConfig: 'write it into configYAML: it is the configuration of the registry server now',
    enforceServers: 'it was removed: no registry decides which servers may run',
    filter: 'write it into configYAML: it is the configuration of the registry server now',
    registries: 'write it into configYAML: it is the configuration of the registry server now',
    source: 'write it into configYAML: it is the configuration of the registry server now',
    sources: 'write it into configYAML: it is the configuration of the registry server now',
    syncPolicy: 'write it into configYAML: it is the configuration of the registry server now',
    telemetryConfig: 'write it into configYAML: it is the configuration of the registry server now',
  },
};

/** @param value an object of ToolHive's group; it is not modified */
export function migrateObject(value: MutableFields): MigratedObject {
  const copy = structuredClone(value);
  const kind = String(copy.kind);
  const metadata = isObject(copy.metadata) ? (copy.metadata as MutableFields) : {};
  const spec = isObject(copy.spec) ? (copy.spec as MutableFields) : {};
  const migration: Migration = {
    ...{ kind, metadata, spec, apiVersion: API_VERSION },
    ...{ made: [], changes: [], lost: [], secrets: [], refusal: undefined },
  };
  const { changes } = migration;
  if (copy.apiVersion !== API_VERSION) changes.push(`apiVersion: ${copy.apiVersion} → ${API_VERSION}`);
  copy.apiVersion = API_VERSION;
  delete copy.status;
  for (const name of OF_THE_SERVER) delete metadata[name];
  // This annotation contains the whole old object.
  if (isObject(metadata.annotations))
    delete (metadata.annotations as MutableFields)['kubectl.kubernetes.io/last-applied-configuration'];
  for (const step of STEPS) step(migration);
  const { made, lost, refusal, secrets } = migration;
  return { value: copy, made, changes, lost, refusal, secrets };
}

/** The steps of a migration, in the order in which they run. */
const STEPS: readonly ((migration: Migration) => void)[] = [
  moveIntoConfig,
  renameFields,
  writeGroupAsReference,
  splitToolsFilter,
  splitOidc,
  renameAuthTypes,
  moveSecrets,
  dropRemoved,
];

function moveIntoConfig({ kind, spec, changes }: Migration): void {
  if (kind !== 'VirtualMCPServer') return;
  for (const name of OF_CONFIG) {
    if (spec[name] === undefined) continue;
    const config = isObject(spec.config) ? (spec.config as MutableFields) : {};
    // If both locations are set, the new one counts, as in ToolHive.
    config[name] ??= spec[name];
    spec.config = config;
    delete spec[name];
    changes.push(`spec.${name} → spec.config.${name}`);
  }
}

function renameFields({ kind, spec, changes }: Migration): void {
  for (const [before, after] of Object.entries(RENAMED[kind] ?? {})) {
    if (spec[before] === undefined) continue;
    spec[after] ??= spec[before];
    delete spec[before];
    changes.push(`spec.${before} → spec.${after}`);
  }
}

function writeGroupAsReference({ kind, spec, changes }: Migration): void {
  const config = isObject(spec.config) ? (spec.config as MutableFields) : undefined;
  const group = config?.groupRef ?? config?.group;
  if (kind === 'VirtualMCPServer' && config !== undefined && group !== undefined) {
    spec.groupRef ??= group;
    delete config.groupRef;
    delete config.group;
    changes.push('spec.config.groupRef → spec.groupRef');
  }
  if (typeof spec.groupRef !== 'string') return;
  spec.groupRef = { name: spec.groupRef };
  changes.push('spec.groupRef: a name → a reference with a name');
}

/** `spec.tools` of a server was the list of visible tools. */
function splitToolsFilter({ kind, metadata, spec, apiVersion, made, changes }: Migration): void {
  if (kind !== 'MCPServer' || !Array.isArray(spec.tools)) return;
  const names = spec.tools.map(tool => (isObject(tool) ? tool.name : tool));
  delete spec.tools;
  if (names.length === 0) return;
  if (spec.toolConfigRef !== undefined) {
    changes.push('spec.tools is left out: toolConfigRef counts, as before');
    return;
  }
  const name = `${metadata.name}-tools`;
  made.push({
    apiVersion,
    kind: 'MCPToolConfig',
    metadata: createObject(name, metadata),
    spec: { toolsFilter: names },
  });
  spec.toolConfigRef = { name };
  changes.push(`spec.tools → MCPToolConfig ${name}, in spec.toolConfigRef`);
}

/** Each server had its own `oidcConfig`. */
function splitOidc(migration: Migration): void {
  const { kind, metadata, spec, apiVersion, made, changes, lost } = migration;
  const isGateway = kind === 'VirtualMCPServer';
  const holder = isGateway ? spec.incomingAuth : spec;
  if (!isObject(holder) || !isObject(holder.oidcConfig)) return;
  const place = isGateway ? 'spec.incomingAuth' : 'spec';
  const fields = holder as MutableFields;
  const name = `${metadata.name}-oidc`;
  const split = buildOidcObject(holder.oidcConfig as MutableFields, `${place}.oidcConfig`);
  delete fields.oidcConfig;
  if ('reason' in split) {
    migration.refusal = `${place}.oidcConfig: ${split.reason}`;
    return;
  }
  lost.push(...split.lost);
  if (fields.oidcConfigRef !== undefined) return;
  made.push({ apiVersion, kind: 'MCPOIDCConfig', metadata: createObject(name, metadata), spec: split.spec });
  fields.oidcConfigRef = { name, ...split.reference };
  changes.push(`${place}.oidcConfig → MCPOIDCConfig ${name}, in ${place}.oidcConfigRef`);
}

/** The type `external_auth_config_ref` is now called `externalAuthConfigRef`, like the field to which it belongs. */
function renameAuthTypes({ kind, spec, changes }: Migration): void {
  const auth =
    kind === 'VirtualMCPServer' && isObject(spec.outgoingAuth) ? (spec.outgoingAuth as MutableFields) : undefined;
  const backends = isObject(auth?.backends) ? Object.entries(auth.backends) : [];
  for (const [place, strategy] of [
    ['default', auth?.default] as const,
    ...backends.map(([name, value]) => [`backends.${name}`, value] as const),
  ]) {
    if (!isObject(strategy) || strategy.type !== 'external_auth_config_ref') continue;
    (strategy as MutableFields).type = 'externalAuthConfigRef';
    changes.push(`spec.outgoingAuth.${place}.type: external_auth_config_ref → externalAuthConfigRef`);
  }
}

function dropRemoved({ kind, spec, lost }: Migration): void {
  for (const [name, reason] of Object.entries(REMOVED[kind] ?? {})) {
    if (spec[name] === undefined) continue;
    delete spec[name];
    lost.push({ part: `spec.${name}`, reason });
  }
}

function createObject(name: string, { namespace }: MutableFields): MutableFields {
  return { name, ...(namespace !== undefined && { namespace }) };
}
