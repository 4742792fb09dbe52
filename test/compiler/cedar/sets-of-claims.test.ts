/** Which claims with several values policies can read as sets (`claimset_*`). */
import { expect, test } from 'vitest';
import { loadAuthorization } from '../../../compiler/analysis/cedar/access.ts';
import { entries, formatBackendKey, models } from '../../support/gateway-rule.ts';
import { gatewayWithPolicies } from '../../support/policies.ts';

const OFFERS = { [formatBackendKey('github')]: { tools: ['search'] } };

function gateway(...policies: readonly string[]) {
  const [model] = models([entries('github'), gatewayWithPolicies(policies)], OFFERS);
  if (model === undefined) throw new Error('there is no gateway');
  return model;
}

const HOLDS = 'principal has claimset_teams && principal.claimset_teams.contains("a")';

test('a Cedar policy that reads a claimset attribute makes the bundle list the claim as multi-valued', () => {
  const forbids =
    'forbid(principal, action, resource) when { context has claimset_scope && context.claimset_scope.contains("x") };';
  const { authorization } = gateway(`permit(principal, action, resource) when { ${HOLDS} };`, forbids).plan;
  expect(authorization).toMatchObject({ multiValuedClaims: ['scope', 'teams'] });
  expect(gateway('permit(principal, action, resource);').plan.authorization).toMatchObject({ multiValuedClaims: [] });
});

test('a Cedar policy that reads a claimset attribute cannot fail, because the attribute is always a set', () => {
  const model = gateway(`permit(principal, action, resource) when { ${HOLDS} };`);
  const access = loadAuthorization(model)?.getAccess('call_tool', { name: 'github_search', definition: {} });
  expect(access).toMatchObject({ type: 'some', permits: [{ text: HOLDS }], forbids: [] });
});
