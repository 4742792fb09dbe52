import { expect, test } from 'vitest';
import { listExposedBackends } from '../../../compiler/analysis/exposure/backends.ts';
import {
  describeCredentials,
  formatCredential,
  formatStrategy,
} from '../../../compiler/analysis/exposure/render/words.ts';
import { models, object } from '../../support/gateway-rule.ts';
import { gateway } from '../../support/rule.ts';

const config = (name: string, spec: string) => object('MCPExternalAuthConfig', spec, name);
const entry = (ref = '', more = '') =>
  object(
    'MCPServerEntry',
    `{ groupRef: { name: tools }, remoteUrl: "https://user.example.com/mcp?key=hidden", transport: sse${ref === '' ? '' : `, externalAuthConfigRef: { name: ${ref} }`}${more} }`,
    'github',
  );

const UPSTREAM = `authServerConfig:
    issuer: https://auth.example.com
    upstreamProviders: [{ name: okta, type: oidc, oidcConfig: { issuerUrl: "https://okta.example.com", clientId: gw } }]`;

function backendOf(fields: string, ...objects: readonly string[]) {
  const [model] = models([
    object('MCPGroup', '{}', 'tools'),
    gateway(`incomingAuth: { type: anonymous }\n  ${fields}`),
    ...objects,
  ]);
  const [backend] = model === undefined ? [] : listExposedBackends(model);
  if (backend === undefined) throw new Error('no backend');
  return backend;
}

function said(fields: string, ...objects: readonly string[]): string {
  const { credential } = backendOf(fields, ...objects);
  return `${formatStrategy(credential)} as ${credential.identity}: ${formatCredential(credential)}`;
}

const HEADER = '{ type: headerInjection, headerInjection: { headerName: X-Key, valueSecretRef: { name: s, key: k } } }';
const OTHER =
  '{ type: headerInjection, headerInjection: { headerName: X-Other, valueSecretRef: { name: s, key: k } } }';

test.each([
  [
    'headerInjection',
    HEADER,
    'fixed header as gateway: chosen in MCPExternalAuthConfig c, header X-Key, header value in key k of Secret s',
  ],
  ['unauthenticated', '{ type: unauthenticated }', 'none as nobody: chosen in MCPExternalAuthConfig c'],
  [
    'tokenExchange',
    '{ type: tokenExchange, tokenExchange: { tokenUrl: "https://u:p@sts.example.com/t?x=1", audience: a, clientId: gw, clientSecretRef: { name: s, key: k }, scopes: [r, w] } }',
    'exchanged token as caller: chosen in MCPExternalAuthConfig c, from upstream okta, for a, at https://sts.example.com/t?…, scopes r w, client secret in key k of Secret s',
  ],
  [
    'upstreamInject',
    '{ type: upstreamInject, upstreamInject: { providerName: okta } }',
    'upstream token as caller: chosen in MCPExternalAuthConfig c, from upstream okta',
  ],
  [
    'awsSts',
    '{ type: awsSts, awsSts: { region: eu-west-1, fallbackRoleArn: "arn:aws:iam::123456789012:role/b", roleMappings: [{ claim: x, roleArn: "arn:aws:iam::123456789012:role/a" }] } }',
    'AWS role as caller: chosen in MCPExternalAuthConfig c, from upstream okta, in eu-west-1, as arn:aws:iam::123456789012:role/a or arn:aws:iam::123456789012:role/b',
  ],
  [
    'obo',
    '{ type: obo, obo: { authority: "https://login.example.com", tenantId: corp, audience: a, clientId: gw, clientSecretRef: { name: s, key: k } } }',
    "on-behalf-of token as caller: chosen in MCPExternalAuthConfig c, from the caller's own token, for a, at https://login.example.com/corp/oauth2/v2.0/token, client secret in key k of Secret s",
  ],
  [
    'xaa',
    '{ type: xaa, xaa: { idpTokenUrl: "https://idp.example.com/t", idpClientId: gw, idpClientSecretRef: { name: i, key: k }, targetTokenUrl: "https://target.example.com/t", targetClientId: gw, targetClientSecretRef: { name: t, key: k }, targetAudience: a } }',
    'cross-application token as caller: chosen in MCPExternalAuthConfig c, from upstream okta, for a, at https://target.example.com/t, client secret of the identity provider in key k of Secret i, client secret in key k of Secret t',
  ],
])(
  'the report of `lintel exposure` shows an MCPExternalAuthConfig of type %s as credential, identity and Secrets',
  (_, spec, expected) => {
    expect(said(UPSTREAM, entry('c'), config('c', spec))).toBe(expected);
  },
);

const strategy = (text: string) => `config: { outgoingAuth: { source: discovered, backends: { github: ${text} } } }`;

test.each([
  [
    'header_injection',
    '{ type: header_injection, headerInjection: { headerName: X-Key, headerValueEnv: KEY } }',
    'fixed header as gateway: chosen in VirtualMCPServer it, header X-Key, header value in the variable KEY',
  ],
  [
    'token_exchange',
    '{ type: token_exchange, tokenExchange: { tokenUrl: "https://sts.example.com/t", clientId: gw, clientSecretEnv: STS } }',
    "exchanged token as caller: chosen in VirtualMCPServer it, from the caller's own token, at https://sts.example.com/t, client secret in the variable STS",
  ],
  ['unauthenticated', '{ type: unauthenticated }', 'none as nobody: chosen in VirtualMCPServer it'],
])(
  'the report of `lintel exposure` shows a strategy of type %s in spec.config as credential, identity and Secrets',
  (_, text, expected) => {
    expect(said(strategy(text), entry('c'), config('c', HEADER))).toBe(expected);
  },
);

const entryOf = (text: string) => `backends: { github: ${text} }`;
const DEFAULT = 'default: { type: externalAuthConfigRef, externalAuthConfigRef: { name: d } }';

test.each([
  [
    "the gateway's entry for the backend comes first",
    `outgoingAuth: { ${entryOf('{ type: externalAuthConfigRef, externalAuthConfigRef: { name: d } }')} }`,
    'c',
    'X-Other',
  ],
  ['the reference of the workload comes before the default', `outgoingAuth: { ${DEFAULT} }`, 'c', 'X-Key'],
  [
    'the reference of the workload is used by an entry of type discovered',
    `outgoingAuth: { source: inline, ${DEFAULT}, ${entryOf('{ type: discovered }')} }`,
    'c',
    'X-Key',
  ],
  [
    'source inline ignores the reference of the workload',
    `outgoingAuth: { source: inline, ${DEFAULT} }`,
    'c',
    'X-Other',
  ],
  ['the default is used for a backend without another credential', `outgoingAuth: { ${DEFAULT} }`, '', 'X-Other'],
  ['a backend without any reference gets no credential', 'outgoingAuth: {}', '', undefined],
  [
    'spec.outgoingAuth overrules spec.config.outgoingAuth',
    `outgoingAuth: {}\n  ${strategy('{ type: header_injection, headerInjection: { headerName: X-C } }')}`,
    '',
    undefined,
  ],
])('the report of `lintel exposure` shows the credential that the gateway chooses: %s', (_, fields, ref, header) => {
  const { credential } = backendOf(fields, entry(ref), config('c', HEADER), config('d', OTHER));
  expect(credential.header).toBe(header);
});

test('the report of `lintel exposure` names forwarded headers, and shows no header value and no query of a URL', () => {
  const forward = `, headerForward: { addPlaintextHeaders: { X-Fixed: hush }, addHeadersFromSecret: [{ headerName: X-Secret, valueSecretRef: { name: s, key: k } }] }`;
  const backend = backendOf('passthroughHeaders: [X-Tenant]', entry('', forward));
  expect(backend.headers).toEqual([
    { name: 'X-Fixed', from: 'spec' },
    { name: 'X-Secret', from: 'secret', secret: { type: 'secret', name: 's', key: 'k' } },
    { name: 'x-tenant', from: 'caller' },
  ]);
  expect(backend.url).toBe('https://user.example.com/mcp?…');
  expect(JSON.stringify(backend)).not.toMatch(/hush|hidden/);
});

test.each([
  [
    'headers from Secrets, each with its key',
    'addHeadersFromSecret: [{ headerName: X-A, valueSecretRef: { name: hub, key: a } }, { headerName: X-B, valueSecretRef: { name: hub, key: b } }]',
    [
      'fixed header | gateway | header X-A, header value in key a of Secret hub',
      'fixed header | gateway | header X-B, header value in key b of Secret hub',
    ],
  ],
  [
    'a literal header that is a credential by its name',
    'addPlaintextHeaders: { X-Api-Key: hush-hush-hush, X-Tenant: platform }',
    ['fixed header | gateway | header X-Api-Key, header value in the clear'],
  ],
])('the report of `lintel exposure` shows the credentials that an MCPServerEntry sends: %s', (_, forward, expected) => {
  const backend = backendOf('', entry('', `, headerForward: { ${forward} }`).replace('?key=hidden', ''));
  expect(
    describeCredentials(backend).map(({ credential, as, details }) => [credential, as, details].join(' | ')),
  ).toEqual(expected);
  expect(JSON.stringify(backend)).not.toContain('hush');
});

test('the report of `lintel exposure` shows a secret header next to a credential, and leaves out a header that the credential overrides', () => {
  const forward = (name: string) =>
    `, headerForward: { addHeadersFromSecret: [{ headerName: ${name}, valueSecretRef: { name: hub, key: a } }] }`;
  const rows = (name: string) =>
    describeCredentials(backendOf('', entry('c', forward(name)), config('c', HEADER))).map(({ details }) => details);
  const chosen = 'chosen in MCPExternalAuthConfig c, header X-Key, header value in key k of Secret s';
  expect(rows('X-More')).toEqual([chosen, 'header X-More, header value in key a of Secret hub']);
  expect(rows('x-key')).toEqual([chosen]);
});

test('the report of `lintel exposure` names the URL parameter that contains a secret, and does not show the value of the parameter', () => {
  const backend = backendOf('', entry().replace('key=hidden', 'api_key=0123456789abcdef'));
  expect(describeCredentials(backend)).toEqual([
    { credential: 'fixed URL', as: 'gateway', details: 'parameter api_key of the URL, in the clear', short: 'api_key' },
  ]);
});

const server = (spec: string) => object('MCPServer', `{ groupRef: { name: tools }, ${spec} }`, 'github');
const TOKEN = 'secrets: [{ name: hub, key: token, targetEnvName: HUB_TOKEN }, { name: hub, key: SALT }]';

function act(spec: string, ...objects: readonly string[]): readonly string[] {
  return describeCredentials(backendOf('', server(spec), ...objects)).map(({ credential, as, details }) =>
    [credential, as, details].join(' | '),
  );
}

test.each([
  ['a program without secrets', 'command: hub', ['none | nobody | ']],
  [
    'a program with secrets',
    `command: hub, ${TOKEN}, env: [{ name: LEVEL, value: debug }]`,
    ['its own | server | variable HUB_TOKEN from key token of Secret hub, variable SALT from key SALT of Secret hub'],
  ],
  [
    'a program with literal secrets, whose values are left out',
    'command: hub, args: ["--api-key", hush-hush-hush], env: [{ name: API_TOKEN, value: hush-hush-hush }]',
    ['its own | server | variable API_TOKEN in the clear, argument 2 in the clear'],
  ],
  [
    'a program with inherited environment variables',
    'command: hub, process: { inheritEnv: [AWS_PROFILE] }',
    ['its own | server | variable AWS_PROFILE of the shell that starts it'],
  ],
  [
    'an image with secrets in spec and pod template',
    `image: hub:1, transport: sse, ${TOKEN}, podTemplateSpec: { spec: { containers: [{ name: mcp, env: [
      { name: KEY, valueFrom: { secretKeyRef: { name: k, key: v } } }, { name: POD, valueFrom: { fieldRef: { fieldPath: metadata.name } } }],
      envFrom: [{ secretRef: { name: all } }, { configMapRef: { name: settings } }] }] } }`,
    [
      'its own | server | a variable for each key of Secret all, variable HUB_TOKEN from key token of Secret hub, variable KEY from key v of Secret k, variable SALT from key SALT of Secret hub',
    ],
  ],
  [
    'an image with its own secret and a credential from the gateway',
    `image: hub:1, transport: sse, externalAuthConfigRef: { name: c }, ${TOKEN}`,
    [
      'fixed header | gateway | chosen in MCPExternalAuthConfig c, header X-Key, header value in key k of Secret s',
      'its own | server | variable HUB_TOKEN from key token of Secret hub, variable SALT from key SALT of Secret hub',
    ],
  ],
  [
    'an image whose proxy has a secret, which the server does not get',
    'image: hub:1, transport: sse, resourceOverrides: { proxyDeployment: { env: [{ name: API_TOKEN, value: hush-hush-hush }] } }',
    ['none | nobody | '],
  ],
])('the report of `lintel exposure` shows the credentials that an MCPServer has itself: %s', (_, spec, expected) => {
  expect(act(spec, config('c', HEADER))).toEqual(expected);
  expect(JSON.stringify(backendOf('', server(spec), config('c', HEADER)))).not.toContain('hush');
});

test('the report of `lintel exposure` shows no own secrets for an MCPServerEntry, whose server is not in the specs', () => {
  expect(backendOf('', entry()).ownSecrets).toEqual([]);
});
