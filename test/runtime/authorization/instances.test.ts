import { expect, test } from 'vitest';
import { createCedar } from '../../../runtime/auth/authorization/load-cedar.ts';

test('each Cedar instance has policies of its own', () => {
  const [one, other] = [createCedar(), createCedar()];
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
