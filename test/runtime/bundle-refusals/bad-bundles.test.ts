import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadBundle } from '#runtime';
import { backendPlan, gatewayBundle } from '../../support/gateway.ts';
import { temporaryFolder } from '../../support/process.ts';

type Change = (bundle: ReturnType<typeof editable>) => void;

// biome-ignore lint/suspicious/noExplicitAny: the point is to break the types
const editable = (): any => structuredClone(gatewayBundle({ backends: [backendPlan('a', 'http://127.0.0.1:1/mcp')] }));

const CLIENTLESS = { tokenUrl: 'https://idp/token', client: null };

const OBO = { type: 'obo', ...CLIENTLESS, audience: null, scopes: [], cacheSkewSeconds: 1 };

const AWS = {
  type: 'aws_sts',
  region: 'r',
  service: 's',
  fallbackRoleArn: null,
  roleClaim: 'groups',
  sessionDurationSeconds: 900,
  sessionNameClaim: 'sub',
  subject: { type: 'caller' },
  stsUrl: 'https://sts',
};

test.each<[name: string, change: Change, problem: string]>([
  [
    'an unknown strategy',
    b => (b.aggregation.strategy = 'first'),
    '"aggregation.strategy" is none of prefix, priority, manual',
  ],
  [
    'an unknown transport',
    b => (b.backends[0].transport = 'stdio'),
    '"backends[0].transport" is none of streamable-http, sse',
  ],
  [
    'an unknown address policy',
    b => (b.backends[0].addresses = 'all'),
    '"backends[0].addresses" is none of any, private, public',
  ],
  ['an invalid URL', b => (b.backends[0].url = 'nope'), '"backends[0].url" is not an http or https URL'],
  ['a URL of another scheme', b => (b.backends[0].url = 'ftp://h/x'), '"backends[0].url" is not an http or https URL'],
  [
    'an unknown type of outgoing authentication',
    b => (b.backends[0].auth.type = 'oauth'),
    '"backends[0].auth.type" is none of unauthenticated, header_injection, token_exchange, upstream_inject, aws_sts, obo, xaa',
  ],
  [
    'a key in an invalid header',
    b => (b.backends[0].auth = { type: 'header_injection', header: 'X Key', value: { env: 'K', file: null } }),
    '"backends[0].auth.header" is not the name of a header',
  ],
  [
    'a key without a source',
    b => (b.backends[0].auth = { type: 'header_injection', header: 'X-Key' }),
    '"backends[0].auth.value" is missing',
  ],
  [
    'a token endpoint that is not a URL',
    b => (b.backends[0].auth = { type: 'token_exchange', tokenUrl: 'idp/token' }),
    '"backends[0].auth.tokenUrl" is not an http or https URL',
  ],
  [
    'a client without a secret',
    b => (b.backends[0].auth = { type: 'obo', tokenUrl: 'https://idp/token', client: { id: 'c' } }),
    '"backends[0].auth.client.secret" is missing',
  ],
  [
    'a token of an upstream without a name',
    b => (b.backends[0].auth = { ...OBO, subject: { type: 'upstream' } }),
    '"backends[0].auth.subject.provider" is missing',
  ],
  [
    'a role mapping without its expression',
    b => (b.backends[0].auth = { ...AWS, mappings: [{ type: 'cel', roleArn: 'arn' }] }),
    '"backends[0].auth.mappings[0].expression" is missing',
  ],
  [
    'a target without an audience',
    b => (b.backends[0].auth = { type: 'xaa', idp: CLIENTLESS, target: CLIENTLESS, scopes: [], provider: 'p' }),
    '"backends[0].auth.target.audience" is missing',
  ],
  [
    'a fixed header with an invalid name',
    b => (b.backends[0].headers = [{ name: 'a:b', value: { type: 'text', text: 'x' } }]),
    '"backends[0].headers[0].name" is not the name of a header',
  ],
  [
    'a fixed header with a line break',
    b => (b.backends[0].headers = [{ name: 'A', value: { type: 'text', text: 'x\r\ny: z' } }]),
    '"backends[0].headers[0].value.text" is not the value of a header',
  ],
  [
    'a fixed header whose secret has no source',
    b => (b.backends[0].headers = [{ name: 'A', value: { type: 'secret' } }]),
    '"backends[0].headers[0].value.from" is missing',
  ],
  [
    'a forwarded header with an invalid name',
    b => (b.passthroughHeaders = ['x tenant']),
    '"passthroughHeaders[0]" is not the name of a header',
  ],
  [
    'a timeout of zero',
    b => (b.backends[0].timeoutMs = 0),
    '"backends[0].timeoutMs" is not a whole number from 1 to 2147483647',
  ],
  [
    'a timeout beyond the limit of timers',
    b => (b.backends[0].timeoutMs = 2 ** 31),
    '"backends[0].timeoutMs" is not a whole number from 1 to 2147483647',
  ],
  [
    'a timeout of half a millisecond',
    b => (b.operational.health.timeoutMs = 0.5),
    '"operational.health.timeoutMs" is not a whole number from 1 to 2147483647',
  ],
  [
    'visibility without names',
    b => (b.backends[0].tools.advertise = { type: 'only' }),
    '"backends[0].tools.advertise.names" is missing',
  ],
  [
    'visibility of an unknown kind',
    b => (b.backends[0].tools.advertise = { type: 'some' }),
    '"backends[0].tools.advertise.type" is none of all, none, only',
  ],
  [
    'an unknown failure mode',
    b => (b.operational.partialFailure = 'maybe'),
    '"operational.partialFailure" is none of fail, best_effort',
  ],
  [
    'an unknown kind of incoming authentication',
    b => (b.incomingAuth = { type: 'saml' }),
    '"incomingAuth.type" is none of anonymous, local, oidc',
  ],
  [
    'oidc without providers',
    b => (b.incomingAuth = { type: 'oidc', realm: 'r', providers: [], requiredScopes: [], resourceMetadata: null }),
    '"incomingAuth.providers" is empty',
  ],
  [
    'a provider without an audience',
    b => (b.incomingAuth = { type: 'oidc', realm: 'r', providers: [{ name: 'p', issuer: 'i' }] }),
    '"incomingAuth.providers[0].audience" is missing',
  ],
  [
    'a secret whose variable is a number',
    b => (b.secrets = [{ use: 'u', env: 1, file: null, secret: null }]),
    '"secrets[0].env" is not of type string',
  ],
  [
    'an unknown policy engine',
    b => (b.authorization = { engine: 'opa', policyCount: 1 }),
    '"authorization.engine" is none of none, cedar',
  ],
  [
    'policies without a policy engine',
    b => (b.authorization = { engine: 'none', policyCount: 1 }),
    '"authorization" has policies and no engine',
  ],
  [
    'a policy without text',
    b => (b.authorization = { engine: 'cedar', policyCount: 1, policies: [{ id: 'policy0', name: 'p' }] }),
    '"authorization.policies[0].text" is missing',
  ],
  [
    'forwarded headers that are not a list',
    b => (b.passthroughHeaders = {}),
    '"passthroughHeaders" is not of type array',
  ],
  ['two backends of the same name', b => b.backends.push(b.backends[0]), '"backends" has two items with the name "a"'],
  ['a backend that is null', b => (b.backends[0] = null), '"backends[0]" is not of type object'],
])('the gateway refuses a bundle with %s, and the error names the field', async (_, change, problem) => {
  const bundle = editable();
  change(bundle);
  await using folder = await temporaryFolder({ 'bundle.json': JSON.stringify(bundle) });
  const file = join(folder.path, 'bundle.json');
  await expect(loadBundle(file)).rejects.toMatchObject({
    name: 'BundleError',
    message: `${file}: is not a complete bundle: ${problem}; build it again`,
  });
});

test('the error about a bundle names all missing secrets, with the settings that need them', async () => {
  const bundle = editable();
  bundle.secrets = [
    { use: 'client secret of "corp"', env: 'LINTEL_TEST_NOT_SET', file: null, secret: null },
    { use: 'key of "corp"', env: null, file: '/nonexistent/key', secret: null },
  ];
  await using folder = await temporaryFolder({ 'bundle.json': JSON.stringify(bundle) });
  const file = join(folder.path, 'bundle.json');
  await expect(loadBundle(file)).rejects.toMatchObject({
    name: 'BundleError',
    message:
      `${file}: the client secret of "corp" is missing: environment variable LINTEL_TEST_NOT_SET is not set; ` +
      'the key of "corp" is missing: file /nonexistent/key cannot be read (ENOENT)',
  });
  bundle.secrets = [{ use: 'key', env: null, file, secret: null }];
  await writeFile(file, JSON.stringify(bundle));
  await expect(loadBundle(file)).resolves.toMatchObject({ file });
});

test.each([
  ['no path', { kind: 'gateway', namespace: 'n', name: 'g', digest: 'sha256:0' }, '"bundles[0].path" is missing'],
  ['null', null, '"bundles[0]" is not of type object'],
])('the runtime refuses a build whose index.json has an entry of %s', async (_, entry, problem) => {
  await using folder = await temporaryFolder({});
  const file = join(folder.path, 'index.json');
  await writeFile(file, JSON.stringify({ formatVersion: 1, bundles: [entry] }));
  await expect(loadBundle(folder.path)).rejects.toMatchObject({
    name: 'BundleError',
    message: `${file}: is not a complete index: ${problem}; build it again`,
  });
});
