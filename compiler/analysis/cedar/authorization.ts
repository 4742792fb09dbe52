/** The parsed and named policies of a gateway, with everything that they are evaluated against. */
import type { Entities } from '@cedar-policy/cedar-wasm/nodejs';
import { compareText, type VirtualMCPServerSpec } from '#schemas';
import type { Inventory, Resource } from '../../resolve/inventory.ts';
import type { GatewayModel } from '../gateway/model.ts';
import { attributeUses } from './attribute-uses.ts';
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

const cache = new WeakMap<GatewayModel, PolicySet | { readonly none: true }>();

/** Undefined when there are no policies, or some cannot be read: then no caller's access is known. */
export function findPolicySet(gateway: GatewayModel): PolicySet | undefined {
  const known = cache.get(gateway) ?? readPolicySet(gateway.resource, gateway.inventory) ?? { none: true };
  cache.set(gateway, known);
  return 'none' in known ? undefined : known;
}

/** The same, before a model of the gateway exists. */
export function readPolicySet(gateway: Resource<VirtualMCPServerSpec>, inventory: Inventory): PolicySet | undefined {
  const source = findPolicySource(gateway, inventory);
  if (source === undefined || source.policies.length === 0) return undefined;
  const texts = source.policies.map(text => ({ source: text, ...parsePolicies(text.text) }));
  const entities = parseEntities(source.entities?.text ?? '[]');
  if (texts.some(({ problems }) => problems.length > 0) || 'problem' in entities) return undefined;
  const policies = texts.flatMap(({ policies, source }) => policies.map(policy => ({ ...policy, source })));
  return {
    source,
    multiValuedClaims: source.multiValuedClaims ?? setsIn(policies),
    policies: policies.map((policy, index) => {
      const id = `policy${index}`;
      return { ...policy, id, name: policy.json.annotations?.id || id };
    }),
    entities: entities.entities,
    writtenEntities: entities.written,
  };
}

const SET = 'claimset_';

function setsIn(policies: readonly ParsedPolicy[]): readonly string[] {
  const uses = policies.flatMap(({ condition }) => attributeUses(condition));
  const sets = uses.filter(({ of, attr }) => of !== 'resource' && attr.startsWith(SET));
  return [...new Set(sets.map(({ attr }) => attr.slice(SET.length)))].sort(compareText);
}
