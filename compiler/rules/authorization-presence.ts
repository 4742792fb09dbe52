import { type NamedPolicy, type PolicySet, readPolicySet } from '../analysis/cedar/authorization.ts';
import { dependsOnPrincipal } from '../analysis/cedar/depends-on-principal.ts';
import { evaluatePartially, readKnownValue } from '../analysis/cedar/evaluate-partially.ts';
import { type Expr, listOperands, toNode } from '../analysis/cedar/expression.ts';
import { diagnoseText } from '../analysis/cedar/locate-text.ts';
import type { PartialRequest } from '../analysis/cedar/partial-request.ts';
import { print } from '../analysis/cedar/print.ts';
import { isShared } from '../analysis/cedar/shared-policies.ts';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { chooseIncomingAuth } from '../resolve/choose-incoming-auth.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { toRelatedLocation } from '../resolve/related-location.ts';
import { gatewaySpec } from './support/gateway-spec.ts';

/**
 * Reports authentication without policies, and policies without authentication.
 *
 * @holds incomingAuth | `authzConfig` | set if callers sign in; without it every caller may do everything | LNT4005
 * @holds incomingAuth | `authzConfig` | does not distinguish callers if the type is `anonymous` | LNT4006
 */
export function authorizationPresence(resource: Resource, inventory: Inventory): Diagnostic[] {
  const spec = gatewaySpec(resource);
  if (spec === undefined) return [];
  const { type, path, policies } = chooseIncomingAuth(spec);
  if (type === 'oidc' && policies === undefined) {
    const field = path.includes('config') ? 'authz' : 'authzConfig';
    const message = `without ${field} every authenticated caller may call every tool`;
    return [diagnose(resource.document, 'LNT4005', [...path, 'type'], message)];
  }
  if (type !== 'anonymous' || policies === undefined) return [];
  // Only policies that depend on the caller are reported. All others also apply to anonymous callers, and decide what these see.
  const gateway = { ...resource, spec };
  const read = readPolicySet(gateway, inventory, 'readable');
  if (read === undefined) {
    const message = `${policies.path.at(-1)} has policies about callers, and no caller signs in: incomingAuth.type is anonymous`;
    return [diagnose(resource.document, 'LNT4006', policies.path, message, { at: 'key' })];
  }
  const signIn = toRelatedLocation('no caller signs in', { resource, path: [...path, 'type'] });
  return read.policies.filter(dependsOnPrincipal).map(policy => {
    const { name, source, offset, text, json } = policy;
    const requirement = findIdleTest(policy, read);
    const outcome = json.effect === 'permit' ? 'permits nothing' : 'forbids nothing';
    const why =
      requirement === undefined
        ? `${name} depends on the caller, and no caller signs in`
        : `${name} ${outcome}: it requires ${requirement}, and no caller signs in`;
    const where = source.resource === gateway ? '' : ` (gateway "${resource.name}")`;
    return diagnoseText(
      source,
      'LNT4006',
      { offset, length: text.length },
      `${why}: incomingAuth.type is anonymous${where}`,
      {
        ...(isShared({ resource: gateway, inventory }, source) ? { severity: 'hint' } : {}),
        related: [signIn],
      },
    );
  });
}

/** The part of a policy that no caller without a token fulfils for any item; undefined when that is not certain. */
function findIdleTest(policy: NamedPolicy, { entities, source: { groupType } }: PolicySet): string | undefined {
  const request: PartialRequest = {
    action: 'call_tool',
    resource: { type: 'Tool', id: '' },
    attrs: {},
    parents: [],
    entities,
    groupType,
    isAnonymous: true,
    hasSubject: false,
  };
  const vain = listConjuncts(policy.condition).find(part => {
    if (!isAboutCallerAlone(part)) return false;
    const outcome = evaluatePartially(part, request);
    return outcome.type === 'residual' && readKnownValue(outcome.expr)?.value === false;
  });
  return vain === undefined ? undefined : print(vain);
}

function listConjuncts(expr: Expr): readonly Expr[] {
  const node = toNode(expr);
  return node.op === '&&' ? [...listConjuncts(node.left), ...listConjuncts(node.right)] : [expr];
}

/** Whether the policy reads only the caller and claims in the context, and nothing else of the call. */
function isAboutCallerAlone(expr: Expr): boolean {
  const node = toNode(expr);
  if (node.op === 'Var') return node.name === 'principal';
  if (node.op === '.' || node.op === 'has') {
    const holder = toNode(node.left);
    const names = node.op === '.' ? [node.attr] : node.attrs.slice(0, 1);
    if (holder.op === 'Var' && holder.name === 'context') return names.every(name => /^claim(set)?_/.test(name));
  }
  return listOperands(node).every(isAboutCallerAlone);
}
