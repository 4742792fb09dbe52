import { expect, test } from 'vitest';
import { staleSecurity } from '../../../runtime/bundle/stale-security.ts';
import { backendPlan, gatewayBundle } from '../../support/gateway.ts';
import { cedarPlan } from '../authorization/plans.ts';

const POLICY = 'permit(principal, action, resource);';
const open = gatewayBundle({ backends: [] });
const local = gatewayBundle({ backends: [], incomingAuth: { type: 'local' } });
const guarded = gatewayBundle({ backends: [], authorization: cedarPlan([POLICY]) });
const moved = gatewayBundle({ backends: [backendPlan('a', 'http://a.example/mcp')] });

test.each([
  ['the same', open, open, []],
  ['another backend', open, moved, []],
  ['another way in', open, local, ['incomingAuth']],
  ['policies', open, guarded, ['authorization']],
  ['fewer policies', guarded, open, ['authorization']],
  ['both', local, guarded, ['incomingAuth', 'authorization']],
  ['nobody knows what', open, undefined, ['incomingAuth', 'authorization']],
])('the refused bundle has %s', (_, running, refused, stale) => {
  expect(staleSecurity(running, refused)).toEqual(stale);
});
