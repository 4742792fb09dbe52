/** `lintel import` writes URLs and log levels in the settings of a program as plain values, but treats a credential inside of a URL as a secret. */
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/process.ts';
import { imported } from './imported.ts';

const KEY = 'sk1234567890abcdef';
const LETTERS = 'QzXkpVbRtWmYnLcJ';

/** The variables and arguments of a program that the specs contain as plain values. */
async function written(env: Readonly<Record<string, string>>, args: readonly string[] = [], plain: string[] = []) {
  const text = JSON.stringify({ mcpServers: { files: { command: 'server', args, env } } });
  await using folder = await temporaryFolder({ 'mcp.json': text });
  const { plan } = imported(folder.file('mcp.json'), 'mcp.json', plain);
  const [server] = plan.carried.map(({ server }) => server);
  return server as { plainVariables: Readonly<Record<string, string>>; args: readonly string[] };
}

test.each([
  ['https://grafana.example.com'],
  ['https://github.com/'],
  ['http://localhost:3000/api/v2'],
  ['https://grafana.example.com:8443/teams/platform?org=main&page=2'],
  ['https://api.example.com/api?api-version=2024-10-21'],
  ['https://abc123def456ghi789.example.com/rest'],
  ['https://dev.azure.com/Contoso/SharedTeamTools'],
  ['postgresql://localhost:5432/northwind?sslmode=disable'],
  ['redis://cache.example.com:6379/0'],
  ['wss://events.example.com/socket'],
])('lintel import writes the URL %s into the specs', async url => {
  const { plainVariables, args } = await written({ BASE_URL: url, TOKEN_URL: url }, ['--url', url, `--base=${url}`]);
  expect(plainVariables).toEqual({ BASE_URL: url, TOKEN_URL: url });
  expect(args).toEqual(['--url', url, `--base=${url}`]);
});

test.each([
  ['a password', `postgresql://me:${KEY}@localhost/northwind`],
  ['a user name', `https://${KEY}@example.com/`],
  ['a key in the query', `https://example.com/?part=${KEY}`],
  ['a parameter named like a key', 'https://example.com/?apikey=red'],
  ['a signature', 'https://example.com/?sig=red'],
  ['a bare query', `https://example.com/?${KEY}`],
  ['a token of words in the query', 'https://example.com/?page=xoxb-red-green'],
  ['a key in the path', `https://example.com/s/${KEY}/feed`],
  ['random letters in the path', `https://example.com/s/${LETTERS}/feed`],
  ['a webhook host', 'https://hooks.example.com/services/T01/B02/red'],
  ['a webhook path', 'https://example.com/api/webhooks/12/red'],
  ['a key in the fragment', `https://example.com/#${KEY}`],
  ['a key in place of the host', `vault://${KEY}/`],
  ['a key behind a backslash', `https://example.com\\${KEY}`],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as clients write it
  ['a variable', 'https://example.com/${KEY}'],
])('lintel import treats a URL with %s as a secret', async (_, url) => {
  const { plainVariables, args } = await written({ BASE_URL: url }, ['--url', url]);
  expect(plainVariables).toEqual({});
  expect(args.join(' ')).not.toContain(url);
});

test('lintel import treats a variable named like a key or a webhook as a secret, whatever its value', async () => {
  const url = 'https://example.com/in/red';
  expect((await written({ API_KEY: url, ALERT_WEBHOOK: url, HOOK_URL: url })).plainVariables).toEqual({});
});

test('lintel import writes the value of a variable such as LOG_LEVEL or AWS_REGION if it is a common value', async () => {
  const plain = { LOG_LEVEL: 'debug', AWS_REGION: 'eu-central-1', NODE_ENV: 'production', TZ: 'Europe/Berlin' };
  const env = { ...plain, MCP_LOG_LEVEL: KEY, REGION_TOKEN: 'red', TEAM: 'red' };
  expect((await written(env)).plainVariables).toEqual(plain);
});

test('lintel import writes a path and a parameter of a URL into the specs if --plain declares that they are no secrets', async () => {
  const url = `https://example.com/s/${KEY}?part=${KEY}`;
  const { plainVariables } = await written({ BASE_URL: url }, [], ['path', 'part']);
  expect(plainVariables).toEqual({ BASE_URL: url });
});
