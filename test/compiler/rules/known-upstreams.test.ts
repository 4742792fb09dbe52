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
    'upstreams that exist',
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
    'no choice where none is needed',
    [
      written('{ type: token_exchange, tokenExchange: { tokenUrl: https://a.example.com } }'),
      written('{ type: aws_sts, awsSts: { region: us-east-1 } }', server),
    ],
    [],
  ],
  [
    'a strategy without its block, which is a finding of its own',
    [
      written('{ type: xaa }', server),
      written('{ type: xaa }'),
      written('{ type: upstream_inject }', server),
      written('{ type: token_exchange }', server),
    ],
    [],
  ],
  [
    'written out: unknown',
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
    'an empty name means "default"',
    [written("{ type: upstream_inject, upstreamInject: { providerName: '' } }", server)],
    ['LNT6006 error 7:117 no upstream is named "default"'],
  ],
  [
    'written out: no authorization server',
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
    'by reference',
    [named, inject('google')],
    ['LNT6006 error 7:96 MCPExternalAuthConfig "auth": no upstream is named "google"'],
  ],
  [
    'of a member of the group',
    [discovered, entry, inject('google')],
    ['LNT6006 error 5:21 MCPExternalAuthConfig "auth" of backend "b": no upstream is named "google"'],
  ],
  [
    'of a member that the gateway overrules',
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
    'an identity assertion of one of several',
    [
      written(
        '{ type: xaa, xaa: { idpTokenUrl: https://a.example.com, targetTokenUrl: https://b.example.com, targetAudience: a } }',
        server,
      ),
    ],
    ['LNT6014 error 7:73 subjectProviderName must name one of the upstreams: okta, github'],
  ],
  [
    'an identity assertion of nobody, and of an upstream that is not there',
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
    'tokens that do not go to backends',
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
    'of a member whose reference is not read',
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
