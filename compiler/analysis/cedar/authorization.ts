/** The parsed and named policies of a gateway, with everything that they are evaluated against. */
import type { Entities } from '@cedar-policy/cedar-wasm/nodejs';
import { compareText, type VirtualMCPServerSpec } from '#schemas';
import type { Inventory, Resource } from '../../resolve/inventory.ts';
import type { GatewayModel } from '../gateway/model.ts';
import { listAttributeUses } from './attribute-uses.ts';
import { parseEntities } from './parse-entities.ts';
import { type ParsedPolicy, parsePolicies } from './parse-policies.ts';
import type { StaticEntities } from './partial-request.ts';
import { findPolicySource, type PlacedText, type PolicySource } from './policy-source.ts';

export interface NamedPolicy extends ParsedPolicy {
  /** Cedar's id: `policy` and a number, counted from 0 over all texts of the source. */
  readonly id: string;
  /** The policy's `@id`, or else its Cedar id. */
  readonly name: string;
  readonly source: PlacedText;
}

export interface PolicySet {
  readonly source: PolicySource;
  /** Claims that policies see both as a set (`claimset_<name>`) and as a space-separated string. */
  readonly multiValuedClaims: readonly string[];
  readonly policies: readonly NamedPolicy[];
  readonly entities: StaticEntities;
  readonly writtenEntities: Entities;
}

type Cache = WeakMap<GatewayModel, PolicySet | { readonly none: true }>;
const cache: Cache = new WeakMap();
const readableCache: Cache = new WeakMap();

/** The policies of a gateway. Undefined when there are none, or when some cannot be read: then it is unknown what any caller may do. */
export function findPolicySet(gateway: GatewayModel): PolicySet | undefined {
  return getOrRead(cache, gateway, () => readPolicySet(gateway.resource, gateway.inventory));
}

/**
 * The policies that can be read, for findings about single policies: a mistake in one policy hides no finding about another. Undefined when
 * there are no policies, and when the entities cannot be read.
 */
export function findReadablePolicies(gateway: GatewayModel): PolicySet | undefined {
  return getOrRead(
    readableCache,
    gateway,
    () => findPolicySet(gateway) ?? readPolicySet(gateway.resource, gateway.inventory, 'readable'),
  );
}

function getOrRead(known: Cache, gateway: GatewayModel, read: () => PolicySet | undefined): PolicySet | undefined {
  const found = known.get(gateway) ?? read() ?? { none: true };
  known.set(gateway, found);
  return 'none' in found ? undefined : found;
}

/**
 * Reads the policies of a gateway whose model does not exist yet. Undefined as for {@link findPolicySet}.
 *
 * @param which `all`: undefined if a single policy cannot be read; `readable`: only the policies that can be read
 */
export function readPolicySet(
  gateway: Resource<VirtualMCPServerSpec>,
  inventory: Inventory,
  which: 'all' | 'readable' = 'all',
): PolicySet | undefined {
  const source = findPolicySource(gateway, inventory);
  if (source === undefined || source.policies.length === 0) return undefined;
  const texts = source.policies.map(text => ({ source: text, ...parsePolicies(text.text) }));
  const entities = parseEntities(source.entities?.text ?? '[]');
  if ('problem' in entities) return undefined;
  if (which === 'all' && texts.some(({ problems }) => problems.length > 0)) return undefined;
  let before = 0;
  const policies: NamedPolicy[] = [];
  for (const { policies: own, source, count } of texts) {
    for (const policy of own) {
      const id = `policy${before + policy.index}`;
      policies.push({ ...policy, source, id, name: policy.json.annotations?.id || id });
    }
    before += count;
  }
  if (policies.length === 0) return undefined;
  return {
    source,
    multiValuedClaims: source.multiValuedClaims ?? listSetAttributes(policies),
    policies,
    entities: entities.entities,
    writtenEntities: entities.written,
  };
}

const SET = 'claimset_';

function listSetAttributes(policies: readonly ParsedPolicy[]): readonly string[] {
  const uses = policies.flatMap(({ condition }) => listAttributeUses(condition));
  const sets = uses.filter(({ of, attr }) => of !== 'resource' && attr.startsWith(SET));
  return [...new Set(sets.map(({ attr }) => attr.slice(SET.length)))].sort(compareText);
}
