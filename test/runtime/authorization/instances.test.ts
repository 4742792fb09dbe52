import { expect, test } from 'vitest';
import { newCedar } from '../../../runtime/auth/authorization/load-cedar.ts';

test('each instance has policies of its own', () => {
  const [one, other] = [newCedar(), newCedar()];
  one.preparsePolicySet('calls', { staticPolicies: { a: 'permit(principal, action, resource);' } });
  const question = {
    principal: { type: 'Client', id: 'a' },
    action: { type: 'Action', id: 'call_tool' },
    resource: { type: 'Tool', id: 'a' },
    context: {},
    entities: [],
    preparsedPolicySetId: 'calls',
  };
  expect(one.statefulIsAuthorized(question)).toMatchObject({ type: 'success' });
  expect(other.statefulIsAuthorized(question)).toMatchObject({ type: 'failure' });
});
