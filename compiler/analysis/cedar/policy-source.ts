/** Where the policies of a gateway are written: inline, in a ConfigMap, or in an MCPAuthzConfig. */

import type { MCPAuthzConfig, VirtualMCPServerSpec } from '#schemas';
import { getMember } from '#schemas';
import { type ChosenPolicies, chooseIncomingAuth, type InlinePolicies } from '../../resolve/choose-incoming-auth.ts';
import type { Inventory, Resource } from '../../resolve/inventory.ts';
import type { Path } from '../../source/source-document.ts';

/** The only policy language of a gateway. */
export const CEDAR = 'cedarv1';

/** A text within a document. */
export interface PlacedText {
  readonly text: string;
  readonly resource: Resource;
  /** The path of the scalar, from the root of the object. */
  readonly path: Path;
  /** The path within the JSON document that the scalar holds, if it holds one. */
  readonly within?: Path;
}

export interface PolicySource {
  /** Texts; each may contain several policies. */
  readonly policies: readonly PlacedText[];
  readonly entities: PlacedText | undefined;
  readonly groupType: string;
  /** Claim that lists groups; undefined for the default claims. */
  readonly groupClaim: string | undefined;
  /** A further claim whose values count as groups. */
  readonly roleClaim: string | undefined;
  /**
   * Claims with several values, as a list or a string, which policies also see as sets. Undefined: the claims that inline policies read as sets,
   * since inline policies cannot declare them.
   */
  readonly multiValuedClaims: readonly string[] | undefined;
  /** The upstream whose token provides the claims. */
  readonly primaryUpstream: PlacedText | undefined;
}

/** The type of the entities that groups become, unless the spec names another one. */
export const DEFAULT_GROUP_TYPE = 'Group';

/**
 * Where the policies of a gateway are written. Undefined when none are configured, or when the object with them is missing from the sources or
 * invalid.
 */
export function findPolicySource(
  gateway: Resource<VirtualMCPServerSpec>,
  inventory: Inventory,
): PolicySource | undefined {
  const { policies } = chooseIncomingAuth(gateway.spec);
  switch (policies?.type) {
    case undefined:
      return undefined;
    case 'inline':
      return inlineSource(gateway, policies);
    case 'configMap':
      return readConfigMapSource(gateway, policies, inventory);
    case 'shared': {
      type Spec = NonNullable<MCPAuthzConfig['spec']>;
      const target = inventory.find<Spec>('MCPAuthzConfig', gateway.namespace, policies.name);
      return target?.spec.type === CEDAR ? readSharedSource(target) : undefined;
    }
  }
}

export function inlineSource(
  resource: Resource,
  { policies, entitiesJson, primaryUpstreamProvider, claims, holder }: InlinePolicies,
): PolicySource {
  const placed = (text: string | undefined, field: string) =>
    text === undefined ? undefined : { text, resource, path: [...holder, field] };
  return {
    policies: policies.map((text, index) => ({ text, resource, path: [...holder, 'policies', index] })),
    entities: placed(entitiesJson, 'entitiesJson'),
    groupType: claims.groupEntityType ?? DEFAULT_GROUP_TYPE,
    groupClaim: claims.groupClaimName || undefined,
    roleClaim: claims.roleClaimName || undefined,
    multiValuedClaims: undefined,
    primaryUpstream: placed(primaryUpstreamProvider || undefined, 'primaryUpstreamProvider'),
  };
}

/** The field `config` of an MCPAuthzConfig contains what a policy document has in its member `cedar`. */
export function readSharedSource(resource: Resource): PolicySource {
  const config = getMember(resource.spec, 'config');
  return readCedarSource(config, (...steps) => ({ resource, path: ['spec', 'config', ...steps] }));
}

function readConfigMapSource(
  gateway: Resource,
  { name, key, claims }: Extract<ChosenPolicies, { readonly type: 'configMap' }>,
  inventory: Inventory,
): PolicySource | undefined {
  const resource = inventory.find('ConfigMap', gateway.namespace, name);
  const document = parseJson(getMember(getMember(resource?.spec, 'data'), key));
  if (resource === undefined || getMember(document, 'type') !== CEDAR) return undefined;
  const cedar = getMember(document, 'cedar');
  const source = readCedarSource(cedar, (...steps) => ({ resource, path: ['data', key], within: ['cedar', ...steps] }));
  const { groupEntityType: groupType = DEFAULT_GROUP_TYPE, groupClaimName, roleClaimName } = claims;
  // Settings of the gateway take precedence over the document.
  return {
    ...source,
    groupType: groupType === DEFAULT_GROUP_TYPE ? source.groupType : groupType,
    groupClaim: groupClaimName || source.groupClaim,
    roleClaim: roleClaimName || source.roleClaim,
  };
}

function readCedarSource(
  cedar: unknown,
  locate: (...steps: (string | number)[]) => Omit<PlacedText, 'text'>,
): PolicySource {
  const policies = toList(getMember(cedar, 'policies'));
  const entities = getMember(cedar, 'entities_json');
  const primaryUpstream = readText(getMember(cedar, 'primary_upstream_provider'));
  return {
    policies: policies.flatMap((text, index) =>
      typeof text === 'string' ? [{ text, ...locate('policies', index) }] : [],
    ),
    entities: typeof entities === 'string' ? { text: entities, ...locate('entities_json') } : undefined,
    groupType: readText(getMember(cedar, 'group_entity_type')) ?? DEFAULT_GROUP_TYPE,
    groupClaim: readText(getMember(cedar, 'group_claim_name')),
    roleClaim: readText(getMember(cedar, 'role_claim_name')),
    multiValuedClaims: toList(getMember(cedar, 'multi_valued_claims')).filter(claim => typeof claim === 'string'),
    primaryUpstream:
      primaryUpstream === undefined ? undefined : { text: primaryUpstream, ...locate('primary_upstream_provider') },
  };
}

/** A text that is not empty; undefined otherwise. */
function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function parseJson(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
