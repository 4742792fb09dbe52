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
  ['no change', open, open, []],
  ['another backend', open, moved, []],
  ['another incoming authentication', open, local, ['incomingAuth']],
  ['new policies', open, guarded, ['authorization']],
  ['fewer policies', guarded, open, ['authorization']],
  ['another incoming authentication and new policies', local, guarded, ['incomingAuth', 'authorization']],
  ['an unreadable bundle', open, undefined, ['incomingAuth', 'authorization']],
])(
  '/status lists the security settings that the gateway does not apply because it refused the bundle with them: %s',
  (_, running, refused, stale) => {
    expect(listStaleSecurity(running, refused)).toEqual(stale);
  },
);

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
  ['no change', 'x -> x', []],
  ['another file', '/srv/x -> /srv/y', []],
  ['another issuer', 'i.example -> j.example', ['auth']],
  ['another role', 'admin -> owner', ['authorization']],
  ['another path without a token', '"https://r.example" -> "https://r.example", publicPaths: [/x]', ['publicPaths']],
  ['other claims of a source', 'org: x -> org: y', ['claims']],
])(
  '/status lists the security settings that the registry server does not apply because it refused the bundle with them: %s',
  (_, change, stale) => {
    expect(listStaleSecurity(registry('x -> x'), registry(change))).toEqual(stale);
  },
);

test('/status lists all security settings of a registry server that refused a gateway bundle', () => {
  expect(listStaleSecurity(registry('x -> x'), open)).toEqual(['auth', 'authorization', 'publicPaths', 'claims']);
});
