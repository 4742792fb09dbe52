import { expect, test } from 'vitest';
import { gateway, judge, object } from '../../support/rule.ts';

const server = `authServerConfig:
    issuer: https://auth.example.com
    upstreamProviders: [{ name: okta, type: oidc }, { name: github, type: oauth2 }]`;
const disabled = `${server}
    disableUpstreamTokenInjection: true`;
const written = (strategy: string, more = '') =>
  gateway(`incomingAuth: { type: anonymous }
  config: { outgoingAuth: { source: inline, backends: { b: ${strategy} } } }
  ${more}`);
const named = gateway(`incomingAuth: { type: anonymous }
  outgoingAuth: { backends: { b: { type: externalAuthConfigRef, externalAuthConfigRef: { name: auth } } } }
  ${server}`);
const discovered = gateway(`incomingAuth: { type: anonymous }
  ${server}`);
const entry = object(
  'MCPServerEntry',
  '{ remoteUrl: https://a.example.com, transport: sse, groupRef: { name: tools }, externalAuthConfigRef: { name: auth } }',
  'b',
);
const inject = (name: string) =>
  object('MCPExternalAuthConfig', `{ type: upstreamInject, upstreamInject: { providerName: ${name} } }`, 'auth');

test.each<[string, string[], string[]]>([
  [
    'known upstreams',
    [
      written('{ type: upstream_inject, upstreamInject: { providerName: okta } }', server),
      named,
      discovered,
      entry,
      inject('github'),
    ],
    [],
  ],
  [
    'strategies without an upstream',
    [
      written('{ type: token_exchange, tokenExchange: { tokenUrl: https://a.example.com } }'),
      written('{ type: aws_sts, awsSts: { region: us-east-1 } }', server),
    ],
    [],
  ],
  [
    'a strategy without its block, which another rule reports',
    [
      written('{ type: xaa }', server),
      written('{ type: xaa }'),
      written('{ type: upstream_inject }', server),
      written('{ type: token_exchange }', server),
    ],
    [],
  ],
  [
    'an unknown upstream in spec.config',
    [
      written('{ type: upstream_inject, upstreamInject: { providerName: okta2 } }', server),
      written(
        '{ type: token_exchange, tokenExchange: { tokenUrl: https://a.example.com, subjectProviderName: google } }',
        server,
      ),
    ],
    ['LNT6006 error 7:117 no upstream is named "okta2"', 'LNT6006 error 18:155 no upstream is named "google"'],
  ],
  [
    'an empty upstream name, which means "default"',
    [written("{ type: upstream_inject, upstreamInject: { providerName: '' } }", server)],
    ['LNT6006 error 7:117 no upstream is named "default"'],
  ],
  [
    'a strategy in spec.config without an authorization server',
    [
      written('{ type: upstream_inject, upstreamInject: { providerName: okta } }'),
      written('{ type: aws_sts, awsSts: { region: us-east-1, subjectProviderName: okta } }'),
    ],
    [
      'LNT6006 error 7:117 upstream "okta" needs an authServerConfig in the gateway, which has none',
      'LNT6006 error 15:127 upstream "okta" needs an authServerConfig in the gateway, which has none',
    ],
  ],
  [
    'an unknown upstream by reference',
    [named, inject('google')],
    ['LNT6006 error 7:96 MCPExternalAuthConfig "auth": no upstream is named "google"'],
  ],
  [
    'an unknown upstream of a group member',
    [discovered, entry, inject('google')],
    ['LNT6006 error 5:21 MCPExternalAuthConfig "auth" of backend "b": no upstream is named "google"'],
  ],
  [
    'an unknown upstream of a group member whose credential the gateway overrules',
    [
      named,
      entry,
      inject('okta'),
      object(
        'MCPServerEntry',
        '{ remoteUrl: https://a.example.com, transport: sse, groupRef: { name: other }, externalAuthConfigRef: { name: auth } }',
        'c',
      ),
    ],
    [],
  ],
  [
    'a cross-app exchange with one of several upstreams',
    [
      written(
        '{ type: xaa, xaa: { idpTokenUrl: https://a.example.com, targetTokenUrl: https://b.example.com, targetAudience: a } }',
        server,
      ),
    ],
    ['LNT6014 error 7:73 subjectProviderName must name one of the upstreams: okta, github'],
  ],
  [
    'a cross-app exchange without an upstream, and with an unknown upstream',
    [
      written(
        '{ type: xaa, xaa: { idpTokenUrl: https://a.example.com, targetTokenUrl: https://b.example.com, targetAudience: a } }',
      ),
      written(
        '{ type: xaa, xaa: { idpTokenUrl: https://a.example.com, targetTokenUrl: https://b.example.com, targetAudience: a, subjectProviderName: google } }',
        server,
      ),
    ],
    [
      'LNT6006 error 7:73 xaa needs the ID token of an upstream, and there is no authServerConfig',
      'LNT6006 error 15:195 no upstream is named "google"',
    ],
  ],
  [
    'an authorization server with disableUpstreamTokenInjection',
    [
      written('{ type: upstream_inject, upstreamInject: { providerName: okta } }', disabled),
      written('{ type: aws_sts, awsSts: { region: us-east-1, subjectProviderName: okta } }', disabled),
      written(
        '{ type: xaa, xaa: { idpTokenUrl: https://a.example.com, targetTokenUrl: https://b.example.com, targetAudience: a } }',
        disabled,
      ),
      written('{ type: token_exchange, tokenExchange: { tokenUrl: https://a.example.com } }', disabled),
    ],
    [117, 127, 73].map(
      (column, index) =>
        `LNT6006 error ${[7, 19, 31][index]}:${column} the gateway does not send tokens of upstreams to backends: authServerConfig.disableUpstreamTokenInjection is true`,
    ),
  ],
  [
    'an unknown upstream of a group member whose reference the gateway ignores',
    [
      gateway(`incomingAuth: { type: anonymous }
  outgoingAuth: { source: inline }`),
      entry,
      inject('google'),
    ],
    [],
  ],
])('the rule knownUpstreams gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('knownUpstreams', ...objects)).toEqual(expected);
});
