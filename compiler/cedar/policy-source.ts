/** Where the policies of a gateway are written: in place, in a ConfigMap, or in an MCPAuthzConfig. */
import type { MCPAuthzConfig, VirtualMCPServerSpec } from '#schemas';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { memberOf } from '../source/is-mapping.ts';
import type { Path } from '../source/source-document.ts';

/** The only policy language that a gateway speaks. */
export const CEDAR = 'cedarv1';

/** A text inside of a document. */
export interface PlacedText {
  readonly text: string;
  readonly resource: Resource;
  /** Of the scalar, from the root of the object. */
  readonly path: Path;
  /** In the JSON document that the scalar holds, if it holds one. */
  readonly within?: Path;
}

export interface PolicySource {
  /** Each may hold several policies. */
  readonly policies: readonly PlacedText[];
  readonly entities: PlacedText | undefined;
  readonly groupType: string;
  /** Claims of space-separated values, which policies also see as sets. */
  readonly multiValuedClaims: readonly string[];
}

/** The type of the entities that groups become, unless the spec names another one. */
export const DEFAULT_GROUP_TYPE = 'Group';

type AuthzConfig = NonNullable<VirtualMCPServerSpec['incomingAuth']['authzConfig']>;

/** Undefined when no policies are configured, or their source is not in these sources or is none. */
export function policySourceOf(
  gateway: Resource<VirtualMCPServerSpec>,
  inventory: Inventory,
): PolicySource | undefined {
  const { authzConfig, authzConfigRef } = gateway.spec.incomingAuth;
  if (authzConfig?.type === 'inline') return inlineSource(gateway, authzConfig);
  if (authzConfig?.type === 'configMap') return configMapSource(gateway, authzConfig, inventory);
  if (authzConfigRef === undefined) return undefined;
  const target = inventory.find<NonNullable<MCPAuthzConfig['spec']>>(
    'MCPAuthzConfig',
    gateway.namespace,
    authzConfigRef.name,
  );
  return target?.spec.type === CEDAR ? sharedSource(target) : undefined;
}

export function inlineSource(
  resource: Resource,
  { inline, groupEntityType }: AuthzConfig,
  path: Path = ['spec', 'incomingAuth', 'authzConfig'],
): PolicySource {
  const place = [...path, 'inline'];
  return {
    policies: (inline?.policies ?? []).map((text, index) => ({ text, resource, path: [...place, 'policies', index] })),
    entities:
      inline?.entitiesJson === undefined
        ? undefined
        : { text: inline.entitiesJson, resource, path: [...place, 'entitiesJson'] },
    groupType: groupEntityType ?? DEFAULT_GROUP_TYPE,
    multiValuedClaims: [],
  };
}

/** `config` holds what `cedar` holds in a policy document. */
export function sharedSource(resource: Resource): PolicySource {
  const config = memberOf(resource.spec, 'config');
  return cedarSource(config, (...steps) => ({ resource, path: ['spec', 'config', ...steps] }));
}

function configMapSource(
  gateway: Resource<VirtualMCPServerSpec>,
  { configMap, groupEntityType }: AuthzConfig,
  inventory: Inventory,
): PolicySource | undefined {
  if (configMap === undefined) return undefined;
  const { name, key = 'authz.json' } = configMap;
  const resource = inventory.find('ConfigMap', gateway.namespace, name);
  const document = jsonOf(memberOf(memberOf(resource?.spec, 'data'), key));
  if (resource === undefined || memberOf(document, 'type') !== CEDAR) return undefined;
  const cedar = memberOf(document, 'cedar');
  const source = cedarSource(cedar, (...steps) => ({ resource, path: ['data', key], within: ['cedar', ...steps] }));
  // What the gateway says itself wins over the document.
  return groupEntityType === undefined || groupEntityType === DEFAULT_GROUP_TYPE
    ? source
    : { ...source, groupType: groupEntityType };
}

function cedarSource(cedar: unknown, place: (...steps: (string | number)[]) => Omit<PlacedText, 'text'>): PolicySource {
  const policies = listOf(memberOf(cedar, 'policies'));
  const entities = memberOf(cedar, 'entities_json');
  const groupType = memberOf(cedar, 'group_entity_type');
  return {
    policies: policies.flatMap((text, index) =>
      typeof text === 'string' ? [{ text, ...place('policies', index) }] : [],
    ),
    entities: typeof entities === 'string' ? { text: entities, ...place('entities_json') } : undefined,
    groupType: typeof groupType === 'string' && groupType !== '' ? groupType : DEFAULT_GROUP_TYPE,
    multiValuedClaims: listOf(memberOf(cedar, 'multi_valued_claims')).filter(claim => typeof claim === 'string'),
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function jsonOf(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
