/** No value of a header, variable, argument or URL appears in any output of an import. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UsageError } from '#compiler';
import { temporaryFolder } from '../../support/process.ts';
import { imported } from './imported.ts';

/** Unique texts that look like real secrets. */
const secret = fc
  .tuple(
    fc.constantFrom('ghp_', 'sk-', 'xoxb-', '', 'AKIA', 'eyJhbGciOi', 'p4ss word '),
    fc.stringMatching(/^[A-Za-z0-9+/=_.!-]{10,40}$/),
  )
  // Plain words, which fast-check also generates, are not secrets.
  .map(([start, rest]) => `${start}${rest}${/\d/.test(rest) ? '' : '-q7x'}`);

/** A secret as files of clients contain it, with text around it that is not secret. */
const written = secret.chain(text =>
  fc.constantFrom(
    { value: text, text },
    { value: `Bearer ${text}`, text },
    { value: `Basic ${text}`, text },
    { value: `${text} \${TOKEN}`, text },
    { value: `\${TOKEN:-${text}}`, text },
    { value: `\${cmd: echo ${text}}`, text },
    { value: `\${input:${text}!}`, text },
  ),
);

const headerName = fc.oneof(
  fc.constantFrom('Authorization', 'X-Api-Key', 'Cookie', 'X-Team', 'Accept', 'Host', 'Mcp-Session-Id', 'bad name'),
  fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,20}$/),
);

const url = secret.chain(text =>
  fc.constantFrom(
    { url: 'https://mcp.example.com/mcp', text: [] as string[] },
    { url: 'http://127.0.0.1:8000/mcp', text: [] },
    { url: `https://mcp.example.com/mcp?apiKey=${encodeURIComponent(text)}`, text: [text, encodeURIComponent(text)] },
    { url: `https://mcp.example.com/mcp?${encodeURIComponent(text)}`, text: [text, encodeURIComponent(text)] },
    { url: `https://me:${encodeURIComponent(text)}@mcp.example.com/mcp`, text: [text, encodeURIComponent(text)] },
    { url: `https://mcp.example.com/mcp#${encodeURIComponent(text)}`, text: [text, encodeURIComponent(text)] },
    { url: `not a url ${text}`, text: [text] },
  ),
);

const pairs = fc.array(fc.tuple(headerName, written), { maxLength: 4 });

const server = fc.record({ url, pairs, kind: fc.constantFrom('remote', 'stdio', 'mcp-remote', 'codex', 'odd') });

type Server = typeof server extends fc.Arbitrary<infer T> ? T : never;

function entryOf({ url: { url: address }, pairs: given, kind }: Server): object {
  const values = Object.fromEntries(given.map(([name, { value }]) => [name, value]));
  const args = given.flatMap(([name, { value }]) => ['--header', `${name}: ${value}`]);
  switch (kind) {
    case 'remote':
      return { url: address, headers: values };
    case 'stdio':
      return { command: 'npx', args: ['-y', 'server', address, ...args], env: { ...values, ADDRESS: address } };
    case 'mcp-remote':
      return {
        command: 'npx',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: as clients write it
        args: ['mcp-remote', address, ...args, '--header', 'A:${A}'],
        env: { ...values, A: values.Cookie ?? '' },
      };
    case 'codex':
      return { url: address, http_headers: values, env_http_headers: { 'X-Team': 'TEAM_VARIABLE' } };
    case 'odd':
      return { type: 'http', url: address, headers: values, unheardOf: values, oauth: undefined, env: values };
  }
}

/** A server in the configuration formats of several clients and gateways. */
function filesOf({ url: { url: address }, pairs: given }: Server): readonly object[] {
  const values = Object.fromEntries(given.map(([name, { value }]) => [name, value]));
  const listed = given.map(([name, { value }]) => ({ name, value }));
  const args = given.flatMap(([name, { value }]) => ['--header', `${name}: ${value}`]);
  const toolHive = { schema_version: 'v0.1.0', name: 'a', transport: 'stdio' };
  return [
    { ...toolHive, image: 'example/a', cmd_args: args, env_vars: values, volumes: [address] },
    { ...toolHive, remote_url: address, header_forward: { add_plaintext_headers: values }, oidc_config: values },
    { registry: { a: { type: 'server', image: 'example/a', command: args, env: listed } } },
    { registry: { a: { type: 'remote', remote: { url: address, headers: values }, secrets: listed } } },
    { mcp: { policies: values, targets: [{ name: 'a', stdio: { cmd: 'npx', args, env: values } }] } },
    { binds: [{ listeners: [{ routes: [{ backends: [{ mcp: { targets: [{ mcp: { host: address } }] } }] }] }] }] },
  ];
}

function secretsOf(servers: readonly Server[]): readonly string[] {
  return servers.flatMap(({ url: { text }, pairs: given }) => [...text, ...given.map(([, value]) => value.text)]);
}

test('lintel import writes no secret of a client configuration', { timeout: 300_000 }, async () => {
  await using folder = await temporaryFolder();
  const property = fc.asyncProperty(
    fc.array(server, { minLength: 1, maxLength: 4 }),
    fc.constantFrom('mcpServers', 'servers', 'mcp_servers'),
    async (servers, key) => {
      const table = Object.fromEntries(servers.map((one, index) => [`server-${index}`, entryOf(one)]));
      await folder.write({ 'mcp.json': JSON.stringify({ [key]: table }) });
      const { specs = '', env, text, json, plan } = imported(folder.file('mcp.json'), 'mcp.json');
      const all = [specs, env, text, json].join('\n');
      for (const value of secretsOf(servers)) expect(all.includes(value), value).toBe(false);
      expect(plan.carried.length + plan.notCarried.length).toBeGreaterThanOrEqual(servers.length);
      return true;
    },
  );
  await fc.assert(property, { numRuns: 60 });
});

test("lintel import writes no secret of another gateway's configuration", { timeout: 300_000 }, async () => {
  await using folder = await temporaryFolder();
  const property = fc.asyncProperty(server, async one => {
    for (const file of filesOf(one)) {
      await folder.write({ 'gateway.json': JSON.stringify(file) });
      const { specs = '', env, text, json } = imported(folder.file('gateway.json'), 'gateway.json');
      const all = [specs, env, text, json].join('\n');
      for (const value of secretsOf([one])) expect(all.includes(value), value).toBe(false);
    }
    return true;
  });
  await fc.assert(property, { numRuns: 30 });
});

test.each([
  [
    'mcp.json',
    (value: string) => `{ "mcpServers": { "a": { "url": "https://a.example.com", "headers": { "A": "${value} } } }`,
  ],
  ['mcp.json', (value: string) => `{ "mcpServers": { "a": ${value} } }`],
  ['config.toml', (value: string) => `[mcp_servers.a]\nbearer_token = ${value}\n`],
  ['config.yaml', (value: string) => `a: [${value}\nb: "${value}`],
  ['other.json', (value: string) => `{ "token": "${value}" }`],
])('lintel import does not repeat a value of an invalid %s in its error', async (name, text) => {
  const value = 'S3CRET-7d5e0c41';
  await using folder = await temporaryFolder({ [name]: text(value) });
  const attempt = () => imported(folder.file(name), name);
  expect(attempt).toThrow(UsageError);
  expect(attempt).not.toThrow(value);
});

test('lintel import does not treat an existing folder of the machine as a secret, whatever its name', async () => {
  await using folder = await temporaryFolder();
  const data = folder.file('x9KqL2vT7/data');
  const later = folder.file('x9KqL2vT7/data/memory.json');
  const absent = folder.file('x9KqL2vT7/data/z8LrM3wU6');
  const env = { DATA: data, LATER: later, ABSENT: absent };
  await folder.write({
    'x9KqL2vT7/data/readme.txt': '',
    'mcp.json': JSON.stringify({ mcpServers: { files: { command: 'server', args: [data, later, absent], env } } }),
  });
  const { plan } = imported(folder.file('mcp.json'), 'mcp.json');
  const [server] = plan.carried.map(({ server }) => server);
  expect(server).toMatchObject({
    args: [data, later, '$(ARG_3)'],
    plainVariables: { DATA: data, LATER: later },
    secretVariables: ['ABSENT', 'ARG_3'],
  });
});
