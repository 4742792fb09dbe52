/** A gateway with everything that belongs to it, as plain data that random changes and shrinking work on, and its specs. */
import { stringify } from 'yaml';
import type { Catalog, LockedBackend } from '#compiler';
import { CORP, OTHER } from './world/authorities.ts';
import { lockedOffer, OFFERS } from './world/offers.ts';

export type AuthorityName = 'corp' | 'other';

/** Members are optional where a spec may omit them. The text `undefined` is never a value. */
export interface Design {
  incoming: Incoming;
  authorization?: AuthorizationDesign;
  passthroughHeaders?: string[];
  aggregation: AggregationDesign;
  /** By name. */
  backends: Record<string, BackendDesign>;
  /** By name. */
  workflows?: Record<string, WorkflowDesign>;
  /** By the name of the backend; a backend without one is not in the lock. */
  lock: Record<string, 'current' | 'stale'>;
}

export interface Incoming {
  type: 'anonymous' | 'oidc';
  /** Where the provider's settings are. */
  form?: 'object' | 'config';
  issuer?: string;
  audience?: string;
  jwksUrl?: string;
  introspectionUrl?: string;
  ca?: AuthorityName;
  allowHttp?: boolean;
  allowPrivate?: boolean;
  /** Only where the gateway contains the provider's settings. */
  scopes?: string[];
}

export interface AuthorizationDesign {
  policies: string[];
  entities?: EntityDesign[];
  groupClaim?: string;
  roleClaim?: string;
  groupType?: string;
}

export interface EntityDesign {
  uid: { type: string; id: string };
  attrs: Record<string, unknown>;
  parents: { type: string; id: string }[];
}

export interface AggregationDesign {
  strategy?: 'prefix' | 'priority' | 'manual';
  prefixFormat?: string;
  priorityOrder?: string[];
  excludeAllTools?: boolean;
  visibility?: 'allow' | 'deny';
  /** By backend. */
  tools?: Record<string, ToolsDesign>;
}

export interface ToolsDesign {
  excludeAll?: boolean;
  filter?: string[];
  overrides?: Record<string, { name?: string; description?: string; annotations?: Record<string, boolean> }>;
}

export interface BackendDesign {
  url: string;
  transport: 'streamable-http' | 'sse';
  allowPrivate?: boolean;
  ca?: AuthorityName;
  headers?: Record<string, string>;
  /** Names of Secrets by the name of the header. */
  secretHeaders?: Record<string, string>;
  credential?: CredentialDesign;
}

/** Its steps run in sequence. */
export interface WorkflowDesign {
  steps: StepDesign[];
  /** The description of the tool for clients. */
  description?: string;
}

export interface StepDesign {
  /** `<backend>.<tool>`. */
  tool: string;
  /** The value of the argument `path`, which policies read in clients' calls. */
  path?: string;
  /** Elicits input from the user first. */
  asks?: boolean;
}

export type CredentialDesign =
  | { type: 'headerInjection'; header: string; secret: string }
  | { type: 'tokenExchange'; tokenUrl: string; audience: string; scopes?: string[]; clientSecret?: string };

/** Secrets that designs refer to. Each has one key, and its name as the value. */
export const SECRETS: readonly string[] = ['reader', 'admin', 'client', 'client2'];
export const SECRET_KEY = 'value';

const NAME = 'gw';

/** The specs of a design as one YAML text. */
export function formatSpecs(design: Design): string {
  return objectsOf(design)
    .map(object => stringify(object, { lineWidth: 120, aliasDuplicateObjects: false }))
    .join('---\n');
}

/** The content of a design's lock; undefined without a lock. */
export function readCatalogOfDesign({ lock }: Design): Catalog | undefined {
  const backends = new Map<string, LockedBackend>(
    Object.entries(lock).flatMap(([name, state]) => {
      const offer = OFFERS[name];
      if (offer === undefined) return [];
      const known = lockedOffer(offer, state === 'stale');
      return [[`default/MCPServerEntry/${name}`, { protocolVersion: '2025-11-25', ...known }] as const];
    }),
  );
  if (backends.size === 0) return undefined;
  return { file: 'lintel.lock.json', isWhole: true, backend: key => backends.get(key) };
}

function objectsOf(design: Design): readonly object[] {
  const { incoming, backends } = design;
  const entries = Object.entries(backends);
  const used = new Set<string | undefined>([incoming.ca, ...entries.map(([, { ca }]) => ca)]);
  return [
    object('MCPGroup', NAME),
    ...[CORP, OTHER]
      .filter(({ name }) => used.has(name))
      .map(({ name, ca }) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `${name}-ca`, labels: { 'lintel.dev/watch': 'true' } },
        data: { 'ca.crt': ca },
      })),
    ...(incoming.type === 'oidc' && incoming.form !== 'config' ? [oidcObject(incoming)] : []),
    ...entries.flatMap(([name, { credential }]) =>
      credential === undefined ? [] : [credentialObject(name, credential)],
    ),
    ...entries.map(([name, backend]) => entryObject(name, backend)),
    gatewayObject(design),
  ];
}

function object(kind: string, name: string, spec?: object): object {
  return { apiVersion: 'lintel.dev/v1beta1', kind, metadata: { name }, ...(spec === undefined ? {} : { spec }) };
}

const caRef = (ca: AuthorityName | undefined) =>
  ca === undefined ? {} : { caBundleRef: { configMapRef: { name: `${ca}-ca`, key: 'ca.crt' } } };
const secretRef = (name: string) => ({ name, key: SECRET_KEY });

function oidcObject({ issuer, jwksUrl, introspectionUrl, ca, allowHttp, allowPrivate }: Incoming): object {
  const inline = {
    issuer,
    ...present({ jwksUrl, introspectionUrl, insecureAllowHTTP: allowHttp, jwksAllowPrivateIP: allowPrivate }),
    ...caRef(ca),
  };
  return object('MCPOIDCConfig', NAME, { type: 'inline', inline });
}

function credentialObject(name: string, credential: CredentialDesign): object {
  if (credential.type === 'headerInjection') {
    const { header, secret } = credential;
    return object('MCPExternalAuthConfig', name, {
      type: 'headerInjection',
      headerInjection: { headerName: header, valueSecretRef: secretRef(secret) },
    });
  }
  const { tokenUrl, audience, scopes, clientSecret } = credential;
  const client = clientSecret === undefined ? {} : { clientId: NAME, clientSecretRef: secretRef(clientSecret) };
  return object('MCPExternalAuthConfig', name, {
    type: 'tokenExchange',
    tokenExchange: { tokenUrl, audience, ...present({ scopes }), ...client },
  });
}

function entryObject(name: string, backend: BackendDesign): object {
  const { url, transport, allowPrivate, ca, headers = {}, secretHeaders = {}, credential } = backend;
  const fromSecrets = Object.entries(secretHeaders).map(([headerName, secret]) => ({
    headerName,
    valueSecretRef: secretRef(secret),
  }));
  const headerForward = {
    ...(Object.keys(headers).length === 0 ? {} : { addPlaintextHeaders: headers }),
    ...(fromSecrets.length === 0 ? {} : { addHeadersFromSecret: fromSecrets }),
  };
  return object('MCPServerEntry', name, {
    groupRef: { name: NAME },
    remoteUrl: url,
    transport,
    ...present({ allowPrivateEndpoint: allowPrivate }),
    ...caRef(ca),
    ...(Object.keys(headerForward).length === 0 ? {} : { headerForward }),
    ...(credential === undefined ? {} : { externalAuthConfigRef: { name } }),
  });
}

function gatewayObject(design: Design): object {
  const { incoming, passthroughHeaders } = design;
  const isWritten = incoming.type === 'oidc' && incoming.form === 'config';
  return object('VirtualMCPServer', NAME, {
    groupRef: { name: NAME },
    ...(isWritten ? {} : { incomingAuth: { ...referringAuth(incoming), ...authz(design.authorization) } }),
    ...present({ passthroughHeaders }),
    config: {
      aggregation: aggregationOf(design.aggregation),
      ...compositesOf(design.workflows),
      ...(isWritten ? { incomingAuth: writtenAuth(incoming, design.authorization) } : {}),
    },
  });
}

function referringAuth({ type, audience }: Incoming): object {
  return type === 'anonymous' ? { type } : { type, oidcConfigRef: { name: NAME, audience } };
}

function writtenAuth(incoming: Incoming, authorization: AuthorizationDesign | undefined): object {
  const { issuer, audience, jwksUrl, introspectionUrl, allowHttp, allowPrivate, scopes } = incoming;
  const more = { jwksUrl, introspectionUrl, scopes, insecureAllowHttp: allowHttp, jwksAllowPrivateIp: allowPrivate };
  const oidc = { issuer, audience, clientId: NAME, ...present(more) };
  if (authorization === undefined) return { type: 'oidc', oidc };
  const { policies, ...rest } = authorization;
  return { type: 'oidc', oidc, authz: { type: 'cedar', policies, ...entitiesOf(rest), ...claimNames(rest) } };
}

function authz(authorization: AuthorizationDesign | undefined): object {
  if (authorization === undefined) return {};
  const { policies, ...rest } = authorization;
  return { authzConfig: { type: 'inline', inline: { policies, ...entitiesOf(rest) }, ...claimNames(rest) } };
}

function entitiesOf({ entities }: Pick<AuthorizationDesign, 'entities'>): object {
  return entities === undefined ? {} : { entitiesJson: JSON.stringify(entities) };
}

function claimNames({ groupClaim, roleClaim, groupType }: Omit<AuthorizationDesign, 'policies'>): object {
  return present({ groupClaimName: groupClaim, roleClaimName: roleClaim, groupEntityType: groupType });
}

function compositesOf(workflows: Design['workflows']): object {
  const composites = Object.entries(workflows ?? {}).map(([name, { steps, description = `Does ${name}.` }]) => ({
    name,
    description,
    steps: steps.flatMap(stepsOf),
  }));
  return composites.length === 0 ? {} : { compositeTools: composites };
}

/** Each step depends on the one before, and on the elicitation before it. */
function stepsOf({ tool, path, asks = false }: StepDesign, at: number): readonly object[] {
  const before = at === 0 ? {} : { dependsOn: [`call${at - 1}`] };
  const schema = { type: 'object', properties: { sure: { type: 'boolean' } } };
  const call = { id: `call${at}`, tool, ...(path === undefined ? {} : { arguments: { path } }) };
  if (!asks) return [{ ...call, ...before }];
  return [
    { id: `ask${at}`, type: 'elicitation', message: 'Sure?', schema, ...before },
    { ...call, dependsOn: [`ask${at}`] },
  ];
}

function aggregationOf(aggregation: AggregationDesign): object {
  const { strategy, prefixFormat, priorityOrder, excludeAllTools, visibility, tools = {} } = aggregation;
  const details = present({ prefixFormat, priorityOrder });
  const workloads = Object.entries(tools).map(([workload, settings]) => ({ workload, ...settings }));
  return {
    ...present({ conflictResolution: strategy, excludeAllTools, defaultToolVisibility: visibility }),
    ...(Object.keys(details).length === 0 ? {} : { conflictResolutionConfig: details }),
    ...(workloads.length === 0 ? {} : { tools: workloads }),
  };
}

/** Removes the members that are undefined. */
function present<T extends object>(members: T): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}
