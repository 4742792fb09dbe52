/** Backends without a strategy, and unauthenticated backends behind a gateway with sign-in. */
import { expect, test } from 'vitest';
import { gateway, judge, object } from '../../support/rule.ts';

const member = (name: string, more = '') =>
  object(
    'MCPServerEntry',
    `{ remoteUrl: https://x.example.com, transport: sse, groupRef: { name: tools }${more} }`,
    name,
  );
const open = (fields: string) => gateway(`incomingAuth: { type: anonymous }\n  ${fields}`);
const closed = (fields: string) =>
  gateway(`incomingAuth: { type: oidc, oidcConfigRef: { name: o, audience: a } }\n  ${fields}`);
const header = '{ type: header_injection, headerInjection: { headerName: X, headerValueEnv: X } }';
const byRef = '{ type: externalAuthConfigRef, externalAuthConfigRef: { name: key } }';
const key = (type: string) => object('MCPExternalAuthConfig', `{ type: ${type} }`, 'key');
const own = ', externalAuthConfigRef: { name: key }';

test.each<[string, string[], string[]]>([
  ['anonymous callers, and no credential for any backend', [open('config: {}'), member('a')], []],
  [
    'a strategy for the backend, by default, or by its own reference',
    [
      closed(`config: { outgoingAuth: { source: inline, backends: { a: ${header} }, default: ${header} } }`),
      member('a'),
      member('b'),
    ],
    [],
  ],
  ["a workload's own reference to an object outside of the sources", [closed('config: {}'), member('a', own)], []],
  [
    'references of the gateway',
    [closed(`outgoingAuth: { backends: { a: ${byRef}, b: { type: discovered } } }`), member('a'), member('b', own)],
    [],
  ],
  [
    'one backend with a strategy and one without',
    [
      open(`config: { outgoingAuth: { source: inline, backends: { a: ${header} } } }`),
      member('a'),
      member('b'),
      member('c'),
    ],
    [
      'LNT6003 warning 7:45 outgoingAuth names other backends, and neither b, c nor a default: the gateway sends no credentials to these backends',
    ],
  ],
  [
    'one backend with a reference and one without',
    [open(`outgoingAuth: { backends: { a: ${byRef} } }`), member('a'), member('b')],
    [
      'LNT6003 warning 7:19 outgoingAuth names other backends, and neither b nor a default: the gateway sends no credentials to these backends',
    ],
  ],
  [
    'backends of which only some are meant to be unauthenticated',
    [
      open('config: { outgoingAuth: { source: inline, backends: { a: { type: unauthenticated } } } }'),
      member('a'),
      member('b'),
    ],
    [],
  ],
  [
    'a gateway with tokens and backends without credentials',
    [closed('config: {}'), member('a'), member('b', own), key('unauthenticated')],
    [
      'LNT6004 hint 5:21 callers sign in, but the gateway sends no credentials to a, b: any program that can connect to a backend may use it',
    ],
  ],
  [
    'a gateway with tokens and the strategy unauthenticated',
    [
      closed(
        `config: { outgoingAuth: { source: inline, backends: { a: { type: unauthenticated }, b: ${header} }, default: { type: unauthenticated } } }`,
      ),
      member('a'),
      member('b'),
      member('c'),
    ],
    [
      'LNT6004 hint 5:21 callers sign in, but the gateway sends no credentials to a, c: any program that can connect to a backend may use it',
    ],
  ],
  [
    'a gateway with tokens and references to the type unauthenticated',
    [
      closed('outgoingAuth: { default: { type: discovered }, backends: { a: { type: discovered } } }'),
      member('a'),
      member('b'),
    ],
    [
      'LNT6004 hint 5:21 callers sign in, but the gateway sends no credentials to a, b: any program that can connect to a backend may use it',
    ],
  ],
  [
    'a stdio program, which no other client can reach',
    [closed('config: {}'), object('MCPServer', '{ transport: stdio, command: npx, groupRef: { name: tools } }', 'a')],
    [],
  ],
  [
    'backends with references, with discovery and without credentials',
    [
      closed(`outgoingAuth: { backends: { a: ${byRef}, b: { type: discovered } } }`),
      member('a'),
      member('b'),
      member('c'),
      key('unauthenticated'),
    ],
    [
      'LNT6003 warning 7:19 outgoingAuth names other backends, and neither c nor a default: the gateway sends no credentials to these backends',
      'LNT6004 hint 5:21 callers sign in, but the gateway sends no credentials to a, b: any program that can connect to a backend may use it',
    ],
  ],
])('the rule unauthenticatedBackends gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('unauthenticatedBackends', ...objects)).toEqual(expected);
});
