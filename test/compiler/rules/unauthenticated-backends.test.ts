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
  ['nobody signs in, and nothing is configured', [open('config: {}'), member('a')], []],
  [
    'named, by default, or by its own reference',
    [
      closed(`config: { outgoingAuth: { source: inline, backends: { a: ${header} }, default: ${header} } }`),
      member('a'),
      member('b'),
    ],
    [],
  ],
  ['its own reference, which is not resolved here', [closed('config: {}'), member('a', own)], []],
  [
    'references of the gateway',
    [closed(`outgoingAuth: { backends: { a: ${byRef}, b: { type: discovered } } }`), member('a'), member('b', own)],
    [],
  ],
  [
    'a backend without strategy',
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
    'the same by references',
    [open(`outgoingAuth: { backends: { a: ${byRef} } }`), member('a'), member('b')],
    [
      'LNT6003 warning 7:19 outgoingAuth names other backends, and neither b nor a default: the gateway sends no credentials to these backends',
    ],
  ],
  [
    'only backends that are meant to be open are named',
    [
      open('config: { outgoingAuth: { source: inline, backends: { a: { type: unauthenticated } } } }'),
      member('a'),
      member('b'),
    ],
    [],
  ],
  [
    'an unauthenticated backend behind an authenticated gateway',
    [closed('config: {}'), member('a'), member('b', own), key('unauthenticated')],
    [
      'LNT6004 hint 5:21 callers sign in, but the gateway sends no credentials to a, b: any program that can connect to a backend may use it',
    ],
  ],
  [
    'the same, decided',
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
    'the same, by references',
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
    'a program over standard streams, which no other client can reach',
    [closed('config: {}'), object('MCPServer', '{ transport: stdio, command: npx, groupRef: { name: tools } }', 'a')],
    [],
  ],
  [
    'both',
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
