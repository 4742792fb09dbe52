import type { MCPAuthzConfig } from '#schemas';
import { getMember, isObject } from '#schemas';
import { CEDAR } from '../analysis/cedar/policy-source.ts';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { type ChosenPolicies, chooseIncomingAuth } from '../resolve/choose-incoming-auth.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { listKeys } from '../resolve/references.ts';
import { createRelatedLocation } from '../source/locate-finding.ts';
import { gatewaySpec } from './support/gateway-spec.ts';

/**
 * A source of policies must not look like working authorization when it is empty or drops some policies.
 *
 * @holds incomingAuth | `config.incomingAuth.authz` | has policies of type `cedar` | LNT5006 | `goldens/cases/incoming-auth-refused`
 * @holds incomingAuth | `authzConfig.configMap` | the key exists and has a `cedarv1` document with policies; without it no bundle is built |
 *   LNT5006
 * @holds incomingAuth | `authzConfigRef` | a `cedarv1` config with policies | LNT2003, LNT5006
 * @holds Other kinds | MCPAuthzConfig | has policies of type `cedarv1` | LNT5006
 */
export function policySources(resource: Resource, inventory: Inventory): Diagnostic[] {
  if (resource.kind === 'MCPAuthzConfig') return checkSharedConfig(resource);
  const spec = gatewaySpec(resource);
  const policies = spec && chooseIncomingAuth(spec).policies;
  switch (policies?.type) {
    case undefined:
      return [];
    case 'inline': {
      if (policies.policies.length > 0) return [];
      return [diagnose(resource.document, 'LNT5006', policies.path, 'there are no policies', { at: 'key' })];
    }
    case 'configMap':
      return checkConfigMap(resource, policies, inventory);
    case 'shared':
      return checkReferencedType(resource, policies, inventory);
  }
}

function checkSharedConfig(resource: Resource): Diagnostic[] {
  const { type, config } = resource.spec as NonNullable<MCPAuthzConfig['spec']>;
  const problem = type === CEDAR ? findSettingsProblem(config) : undefined;
  if (problem === undefined) return [];
  const [member, what] = problem;
  return [diagnose(resource.document, 'LNT5006', ['spec', 'config', member], `config.${member}: ${what}`)];
}

type PolicyReference<T extends ChosenPolicies['type']> = Extract<ChosenPolicies, { readonly type: T }>;

function checkReferencedType(
  resource: Resource,
  { name, path }: PolicyReference<'shared'>,
  inventory: Inventory,
): Diagnostic[] {
  type Spec = NonNullable<MCPAuthzConfig['spec']>;
  const target = inventory.find<Spec>('MCPAuthzConfig', resource.namespace, name);
  if (target === undefined || target.spec.type === CEDAR) return [];
  const message = `MCPAuthzConfig "${name}" is of type "${target.spec.type}"; a gateway reads ${CEDAR} only`;
  return [diagnose(resource.document, 'LNT2003', [...path, 'name'], message)];
}

function checkConfigMap(
  resource: Resource,
  { name, key, path }: PolicyReference<'configMap'>,
  inventory: Inventory,
): Diagnostic[] {
  const target = inventory.find('ConfigMap', resource.namespace, name);
  const text = target === undefined ? undefined : getMember(getMember(target.spec, 'data'), key);
  // The reference check reports a missing key.
  if (target === undefined || !listKeys(target.spec).includes(key)) return [];
  const problem = typeof text === 'string' ? findDocumentProblem(text) : 'not a text';
  if (problem === undefined) return [];
  const related = [createRelatedLocation('the document', target.document.doc, ['data', key], 'key')];
  const message = `ConfigMap "${name}", key "${key}": ${problem}`;
  return [diagnose(resource.document, 'LNT5006', [...path, 'configMap', 'name'], message, { related })];
}

/** Why a policy document is invalid; the policies are not parsed here. */
function findDocumentProblem(text: string): string | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return 'not JSON';
  }
  if (!isObject(document)) return 'not a JSON object';
  if (document.type !== CEDAR) return `the type is not "${CEDAR}"`;
  const problem = findSettingsProblem(document.cedar);
  return problem && `cedar.${problem[0]}: ${problem[1]}`;
}

const TEXTS = [
  'entities_json',
  'group_claim_name',
  'group_entity_type',
  'primary_upstream_provider',
  'role_claim_name',
] as const;

/** The first member with a wrong type, which would be ignored. */
function findSettingsProblem(settings: unknown): readonly [member: string, problem: string] | undefined {
  const policies = getMember(settings, 'policies');
  if (!Array.isArray(policies) || policies.length === 0) return ['policies', 'no policies'];
  if (!policies.every(isText)) return ['policies', 'expected a list of texts'];
  const claims = getMember(settings, 'multi_valued_claims') ?? [];
  if (!Array.isArray(claims) || !claims.every(isText)) return ['multi_valued_claims', 'expected a list of texts'];
  const wrong = TEXTS.find(member => !isText(getMember(settings, member) ?? ''));
  return wrong && [wrong, 'expected a text'];
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
