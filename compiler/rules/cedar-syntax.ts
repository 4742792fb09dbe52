import type { AuthzConfig, MCPAuthzConfig, VirtualMCPServerSpec } from '#schemas';
import { diagnoseText } from '../analysis/cedar/locate-text.ts';
import { parseEntities } from '../analysis/cedar/parse-entities.ts';
import { parsePolicies } from '../analysis/cedar/parse-policies.ts';
import {
  CEDAR,
  findPolicySource,
  inlineSource,
  type PolicySource,
  readSharedSource,
} from '../analysis/cedar/policy-source.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { chooseIncomingAuth, choosePolicies } from '../resolve/choose-incoming-auth.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { gatewaySpec } from './support/gateway-spec.ts';

/**
 * Policies and entities must parse: losing a policy would permit more or less than was written.
 *
 * @holds incomingAuth | `…inline.policies`, `entitiesJson`; those of an MCPAuthzConfig and of a ConfigMap | parse | LNT5001
 */
export function cedarSyntax(resource: Resource, inventory: Inventory): Diagnostic[] {
  const source = findSource(resource, inventory);
  if (source === undefined) return [];
  return [
    ...source.policies.flatMap(checkSyntax),
    ...(source.entities === undefined ? [] : checkEntities(source.entities)),
  ];
}

/** Policies in the resource itself or in a ConfigMap. An MCPAuthzConfig is checked once, not for each referrer. */
function findSource(resource: Resource, inventory: Inventory): PolicySource | undefined {
  if (resource.kind === 'MCPAuthzConfig') {
    const { type } = resource.spec as NonNullable<MCPAuthzConfig['spec']>;
    return type === CEDAR ? readSharedSource(resource) : undefined;
  }
  const gateway = gatewaySpec(resource);
  if (gateway !== undefined) {
    const isShared = chooseIncomingAuth(gateway).policies?.type === 'shared';
    return isShared ? undefined : findPolicySource(resource as Resource<VirtualMCPServerSpec>, inventory);
  }
  const { authzConfig } = resource.spec as { readonly authzConfig?: AuthzConfig };
  const policies = authzConfig && choosePolicies(authzConfig, ['spec', 'authzConfig']);
  return policies?.type === 'inline' ? inlineSource(resource, policies) : undefined;
}

function checkSyntax(source: PolicySource['policies'][number]): Diagnostic[] {
  return parsePolicies(source.text).problems.map(({ message, help, ...part }) =>
    diagnoseText(source, 'LNT5001', part, `not a policy: ${message}`, help === undefined ? {} : { fix: help }),
  );
}

function checkEntities(source: NonNullable<PolicySource['entities']>): Diagnostic[] {
  const parsed = parseEntities(source.text);
  if (!('problem' in parsed)) return [];
  const whole = { offset: 0, length: source.text.length };
  const help = 'Write a JSON list of entities, each with uid, attrs and parents';
  return [diagnoseText(source, 'LNT5001', whole, `not entities: ${parsed.problem}`, { help })];
}
