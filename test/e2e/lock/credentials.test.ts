import { readFile } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/process.ts';
import { type RawServer, sendJson, startRawServer } from '../../support/raw-server.ts';
import { TEST_CERTIFICATE } from '../../support/tls-fixture.ts';
import { GROUP, gateway } from '../specs.ts';
import { formatLockKey, gatewayOver, LOCK, lock, offering, startTlsServer } from './peers.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(server => server.close()));
});

const SECRET = 'tok-3f9a5c77-never-store-me';

/** A server that accepts only requests with this header. */
async function guarded(name: string, value: string): Promise<RawServer> {
  const answer = offering(() => [{ name: 'find' }]);
  const server = await startRawServer((request, response) => {
    if (request.headers[name] === value) return answer(request, response);
    response.writeHead(401).end();
  });
  open.push(server);
  return server;
}

test.each([
  ['from the environment', 'env:WEB_TOKEN'],
  ['from a file', 'file:token.txt'],
])('`lintel lock` sends a token %s with every request and stores it nowhere', async (_, source) => {
  const server = await guarded('authorization', `Bearer ${SECRET}`);
  await using folder = await temporaryFolder({
    'specs/all.yaml': gatewayOver([{ name: 'web', url: `${server.origin}/mcp` }]),
    'token.txt': `${SECRET}\n`,
  });
  const refused = await lock(folder, []);
  expect([refused.code, refused.stderr]).toEqual([
    3,
    `lintel: not locked: ${formatLockKey('web')}: ${server.origin}/mcp: refused the credentials of the request (HTTP 401); \`--token web=env:NAME\` sends the token in the environment variable NAME\nlintel: no backend answered, so ${LOCK} is not written\n`,
  ]);
  const { code, stdout, stderr } = await lock(folder, ['--token', `web=${source}`], { WEB_TOKEN: SECRET });
  expect([code, stderr]).toEqual([0, `lintel: wrote ${LOCK}\n`]);
  expect((await readFile(folder.file(LOCK), 'utf8')) + stdout + stderr).not.toContain(SECRET);
});

test.each([
  [
    'an error description',
    401,
    'Bearer error="invalid_token", error_description="expired \\"yesterday\\""',
    ': the server says "expired \\"yesterday\\""',
  ],
  ['only an error code', 401, 'Bearer error="invalid_token"', ': the server says "invalid_token"'],
  [
    'too few scopes',
    403,
    'Bearer error="insufficient_scope", scope="a b"',
    ': the server says "insufficient_scope"; it asks for the scopes "a b"',
  ],
  [
    'a text that moves the cursor, which is escaped',
    401,
    'Bearer error_description="a\u009b2Jb"',
    ': the server says "a\\u009b2Jb"',
  ],
  ['a challenge of another scheme, whose text is left out', 401, 'Basic realm="x"', ''],
  ['a message that repeats the token, which is left out', 401, `Bearer error_description="no ${SECRET}"`, ''],
])('`lintel lock` reports a refusal with the message of the server: %s', async (_, status, challenge, says) => {
  const server = await startRawServer((_request, response) => {
    response.writeHead(status, { 'www-authenticate': challenge }).end();
  });
  open.push(server);
  await using folder = await temporaryFolder({
    'specs/all.yaml': gatewayOver([{ name: 'web', url: `${server.origin}/mcp` }]),
  });
  const { code, stderr } = await lock(folder, ['--token', 'web=env:WEB_TOKEN'], { WEB_TOKEN: SECRET });
  expect(code).toBe(3);
  expect(stderr.split('\n')[0]).toBe(
    `lintel: not locked: ${formatLockKey('web')}: ${server.origin}/mcp: refused the credentials of the request (HTTP ${status})${says}; \`--token web=env:NAME\` sends the token in the environment variable NAME`,
  );
});

test.each([
  ['in the file of --dotenv, which begins with a byte order mark', {}, `\uFEFF# ours\nexport WEB_TOKEN="${SECRET}"\n`],
  [
    'in the environment, which takes precedence over the file of --dotenv',
    { WEB_TOKEN: SECRET },
    'WEB_TOKEN=another\n',
  ],
])('`lintel lock` sends a token from a variable %s', async (_, env, text) => {
  const server = await guarded('authorization', `Bearer ${SECRET}`);
  await using folder = await temporaryFolder({
    'specs/all.yaml': gatewayOver([{ name: 'web', url: `${server.origin}/mcp` }]),
    '.env': text,
  });
  const { code, stderr } = await lock(folder, ['--dotenv', '.env', '--token', 'web=env:WEB_TOKEN'], env);
  expect([code, stderr]).toEqual([0, `lintel: wrote ${LOCK}\n`]);
});

const NOT_TAKEN = 'write no token here, because other users of this machine can see it';
const FORMS = `write env:NAME or file:PATH; ${NOT_TAKEN}`;

test.each([
  ['a token in the clear', SECRET, FORMS],
  ['a token with a colon', `user:${SECRET}`, FORMS],
  ['a misspelt env', 'evn:WEB_TOKEN', `did you mean env:NAME? ${NOT_TAKEN}`],
  ['env in capitals', 'ENV:WEB_TOKEN', `did you mean env:NAME? ${NOT_TAKEN}`],
  ['env with another sign', 'env=WEB_TOKEN', `did you mean env:NAME? ${NOT_TAKEN}`],
  ['a misspelt file', 'flie:token.txt', `did you mean file:PATH? ${NOT_TAKEN}`],
  ['a space before the colon', 'file :token.txt', `did you mean file:PATH? ${NOT_TAKEN}`],
  ['a space before env', ' env:WEB_TOKEN', `did you mean env:NAME? ${NOT_TAKEN}`],
  ['a token in place of the name of a variable', `env:${SECRET}`, 'that environment variable is not set'],
  ['env: without a variable', 'env:', 'env: names no environment variable'],
  ['file: without a file', 'file:', 'file: names no file'],
  ['an empty variable', 'env:EMPTY', 'the environment variable EMPTY is empty'],
  [
    'a variable with several words',
    'env:WORDS',
    'the environment variable WORDS holds no token: one is a single line of ASCII characters without spaces',
  ],
  ['a folder', 'file:specs', 'cannot read specs: it is a folder'],
  ['a file without an end', 'file:/dev/zero', '/dev/zero holds more than 65536 bytes, so no token'],
  [
    'a path with ~ that the shell did not expand',
    'file:~/nope',
    'cannot read ~/nope: it does not exist, or is a link to a file that does not exist; the shell does not expand ~ here, write $HOME',
  ],
])('`lintel lock --token` refuses %s and sends no request', async (_, source, message) => {
  const server = await guarded('authorization', `Bearer ${SECRET}`);
  await using folder = await temporaryFolder({
    'specs/all.yaml': gatewayOver([{ name: 'web', url: `${server.origin}/mcp` }]),
  });
  const env = { WEB_TOKEN: SECRET, EMPTY: '', WORDS: 'one two' };
  const outcome = await lock(folder, ['--token', `web=${source}`], env);
  expect(outcome).toEqual({ code: 2, stdout: '', stderr: `lintel: --token of ${formatLockKey('web')}: ${message}\n` });
  expect(server.connections).toBe(0);
});

test('`lintel lock` does not record a backend whose tool descriptions repeat the token that lintel sent', async () => {
  const server = await startRawServer(offering(() => [{ name: 'find', description: `You are ${SECRET}.` }]));
  open.push(server);
  await using folder = await temporaryFolder({
    'specs/all.yaml': gatewayOver([{ name: 'web', url: `${server.origin}/mcp` }]),
  });
  const { code, stdout, stderr } = await lock(folder, ['--token', 'web=env:WEB_TOKEN'], { WEB_TOKEN: SECRET });
  expect([code, stdout]).toEqual([3, '']);
  expect(stderr).toContain('what it offers repeats the credential that it was shown\n');
  expect(stderr).not.toContain(SECRET);
});

test('`lintel lock` takes the value of an injected header from the variable of headerValueEnv, and only if --env names it', async () => {
  const server = await guarded('x-api-key', SECRET);
  const strategy = 'type: header_injection, headerInjection: { headerName: X-Api-Key, headerValueEnv: API_KEY }';
  await using folder = await temporaryFolder({
    'specs/all.yaml': gatewayOver([{ name: 'web', url: `${server.origin}/mcp` }], `, default: { ${strategy} }`),
  });
  const without = await lock(folder, []);
  expect([without.code, without.stderr.split('\n')[0]]).toEqual([
    3,
    `lintel: not locked: ${formatLockKey('web')}: header X-Api-Key needs the environment variable API_KEY, allowed by --env API_KEY, or give --token`,
  ]);
  // Otherwise a spec could send any environment variable to any address.
  expect((await lock(folder, [], { API_KEY: SECRET })).code).toBe(3);
  const { code, stdout, stderr } = await lock(folder, ['--env', 'API_KEY'], { API_KEY: SECRET });
  expect(code).toBe(0);
  expect((await readFile(folder.file(LOCK), 'utf8')) + stdout + stderr).not.toContain(SECRET);
});

/** A member of the group that trusts the tests' certificate. */
function entry(fields: string): string {
  const pem = TEST_CERTIFICATE.trimEnd().replaceAll('\n', '\n    ');
  return `apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
metadata: { name: wiki }
spec:
  remoteUrl: https://wiki.example.com/mcp
  transport: streamable-http
  groupRef: { name: tools }
  caBundleRef: { configMapRef: { name: ca, key: ca.crt } }
${fields}---
apiVersion: v1
kind: ConfigMap
metadata: { name: ca }
data:
  ca.crt: |
    ${pem}
`;
}

test('`lintel lock --url` uses the CA certificate and headers of an MCPServerEntry, and records the address in the entry, not --url', async () => {
  const seen: Record<string, unknown>[] = [];
  const answer = offering(() => [{ name: 'find' }]);
  const server = await startTlsServer((request, response) => {
    seen.push(request.headers);
    return answer(request, response);
  });
  open.push(server);
  const fields = `  headerForward:
    addPlaintextHeaders: { X-Tenant: engineering }
    addHeadersFromSecret:
      - { headerName: X-Api-Key, valueSecretRef: { name: wiki, key: key } }
`;
  const key = 'default/MCPServerEntry/wiki';
  const variable = 'LINTEL_SECRET_HEADER_FORWARD_X_API_KEY_WIKI';
  await using folder = await temporaryFolder({
    'specs/group.yaml': GROUP,
    'specs/gateway.yaml': gateway('eng'),
    'specs/entry.yaml': entry(fields),
  });
  const url = ['--url', `wiki=${server.url}`];
  expect((await lock(folder, url)).stderr).toContain(
    `not locked: ${key}: header X-Api-Key needs the environment variable ${variable}, or give --token\n`,
  );
  expect(seen).toEqual([]);

  const { code, stderr } = await lock(folder, url, { [variable]: SECRET });
  expect([code, stderr]).toEqual([0, `lintel: wrote ${LOCK}\n`]);
  expect(seen.length).toBeGreaterThan(2);
  for (const headers of seen) expect(headers).toMatchObject({ 'x-tenant': 'engineering', 'x-api-key': SECRET });
  const text = await readFile(folder.file(LOCK), 'utf8');
  expect(text).toContain('"url": "https://wiki.example.com/mcp"');
  expect(text).not.toContain(SECRET);

  await folder.write({ 'specs/entry.yaml': entry(fields).replace(/ {2}caBundleRef.*\n/, '') });
  expect((await lock(folder, url, { [variable]: SECRET })).stderr).toContain(
    `not locked: ${key}: ${server.url}: the connection failed (DEPTH_ZERO_SELF_SIGNED_CERT); its entry stays as it was\n`,
  );
});

test('`lintel lock` does not connect to localhost for an MCPServerEntry, not even with allowPrivateEndpoint', async () => {
  const server = await startRawServer(offering(() => []));
  open.push(server);
  const fields = `  allowPrivateEndpoint: true\n`;
  await using folder = await temporaryFolder({
    'specs/group.yaml': GROUP,
    'specs/gateway.yaml': gateway('eng'),
    'specs/entry.yaml': entry(fields).replace(
      'https://wiki.example.com',
      server.origin.replace('127.0.0.1', 'localhost'),
    ),
  });
  const { code, stderr } = await lock(folder, []);
  expect(code).toBe(3);
  expect(stderr).toContain('connecting to localhost is not allowed');
  expect(server.connections).toBe(0);
});

test('`lintel lock` fetches a token for a backend with token_exchange by the client id and secret of the gateway', async () => {
  const token = 'fetched-81c2-never-store-me';
  const server = await guarded('authorization', `Bearer ${token}`);
  const forms: (string | undefined)[] = [];
  const endpoint = await startRawServer(({ headers, body }, response) => {
    forms.push(body);
    const isKnown = headers.authorization === `Basic ${Buffer.from(`gw:${SECRET}`).toString('base64')}`;
    if (!isKnown) return void response.writeHead(401).end();
    sendJson(response, JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: 300 }));
  });
  open.push(endpoint);
  const exchange = `type: token_exchange, tokenExchange: { tokenUrl: "${endpoint.origin}/token", audience: wiki, clientId: gw, clientSecretEnv: LINTEL_CLIENT }`;
  await using folder = await temporaryFolder({
    'specs/all.yaml': gatewayOver(
      [{ name: 'web', url: `${server.origin}/mcp` }],
      `, backends: { web: { ${exchange} } }`,
    ),
  });
  expect((await lock(folder, [])).stderr).toContain(
    `not locked: ${formatLockKey('web')}: its own account at ${endpoint.origin}/token needs the environment variable LINTEL_CLIENT, or give --token\n`,
  );
  expect((await lock(folder, [], { LINTEL_CLIENT: 'wrong' })).stderr).toContain(
    `token_exchange at ${endpoint.origin.slice('http://'.length)}: the gateway's client was refused (HTTP 401)`,
  );
  const { code, stdout, stderr } = await lock(folder, [], { LINTEL_CLIENT: SECRET });
  expect([code, stderr]).toEqual([0, `lintel: wrote ${LOCK}\n`]);
  expect(new URLSearchParams(forms.at(-1)).get('grant_type')).toBe('client_credentials');
  const written = (await readFile(folder.file(LOCK), 'utf8')) + stdout + stderr;
  for (const secret of [SECRET, token]) expect(written).not.toContain(secret);
});

test('`lintel lock` asks for --token if the credential that the gateway sends to a backend is not a static header', async () => {
  const server = await guarded('authorization', `Bearer ${SECRET}`);
  const exchange = 'type: token_exchange, tokenExchange: { tokenUrl: "https://login.example.com/token" }';
  await using folder = await temporaryFolder({
    'specs/all.yaml': gatewayOver(
      [{ name: 'web', url: `${server.origin}/mcp` }],
      `, backends: { web: { ${exchange} } }`,
    ),
  });
  expect((await lock(folder, [])).stderr).toContain(
    `not locked: ${formatLockKey('web')}: its credential is not a static header (token_exchange): give one with --token\n`,
  );
  expect(server.connections).toBe(0);
  expect((await lock(folder, ['--token', `${formatLockKey('web')}=env:T`], { T: SECRET })).code).toBe(0);
});
