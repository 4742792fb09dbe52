import { expect, test } from 'vitest';
import { listStaleSecurity } from '../../../runtime/bundle/stale-security.ts';
import { compileConfig, getBundle } from '../../compiler/registry/compiling.ts';
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
  expect(listStaleSecurity(running, refused)).toEqual(stale);
});

const registry = (change: string) =>
  getBundle(
    compileConfig(
      `sources: [{ name: a, file: { path: /srv/x }, claims: { org: x } }]
registries: [{ name: main, sources: [a], claims: { org: x } }]
auth:
  oauth: { resourceUrl: "https://r.example", providers: [{ name: p, issuerUrl: "https://i.example", audience: r }] }
  authz: { roles: { superAdmin: [{ role: admin }] } }
`.replace(...(change.split(' -> ') as [string, string])),
    ),
  );

test.each([
  ['the same', 'x -> x', []],
  ['another file', '/srv/x -> /srv/y', []],
  ['another issuer', 'i.example -> j.example', ['auth']],
  ['another role', 'admin -> owner', ['authorization']],
  ['another path without a token', '"https://r.example" -> "https://r.example", publicPaths: [/x]', ['publicPaths']],
  ['other claims of a source', 'org: x -> org: y', ['claims']],
])('the refused bundle of a registry server has %s', (_, change, stale) => {
  expect(listStaleSecurity(registry('x -> x'), registry(change))).toEqual(stale);
});

test('of a bundle of another kind nothing is known', () => {
  expect(listStaleSecurity(registry('x -> x'), open)).toEqual(['auth', 'authorization', 'publicPaths', 'claims']);
});
