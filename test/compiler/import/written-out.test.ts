// biome-ignore-all lint/suspicious/noTemplateCurlyInString: as clients write it
/** How the report of `lintel import` describes values that are in the file, and values that the file only names, such as variables. */
import { expect, test } from 'vitest';
import { isWrittenOut } from '../../../compiler/import/header.ts';
import { listSecretSteps } from '../../../compiler/import/secret-steps.ts';
import { temporaryFolder } from '../../support/process.ts';
import { imported } from './imported.ts';

async function importedFrom(server: object) {
  await using folder = await temporaryFolder({ 'mcp.json': JSON.stringify({ mcpServers: { one: server } }) });
  return imported(folder.file('mcp.json'), 'mcp.json');
}

test.each([
  ['${TOKEN}', false],
  ['${env:TOKEN}', false],
  ['${input:token}', false],
  ['Bearer ${TOKEN}', false],
  ['${HOST} ${PORT}', false],
  ['Bearer sk-1', true],
  ['sk-1', true],
  ['sk-1 ${TOKEN}', true],
  ['${TOKEN:-sk-1}', true],
  ['https://${HOST}/', true],
])(
  'lintel import assumes that the value %s of a client configuration may contain a literal secret: %s',
  (value, expected) => {
    expect(isWrittenOut(value)).toBe(expected);
  },
);

test.each([
  [
    'names of variables only',
    { url: 'https://a.example.com/mcp', headers: { Authorization: 'Bearer ${TOKEN}' } },
    false,
  ],
  [
    'a token in a header',
    { url: 'https://a.example.com/mcp', headers: { Authorization: 'Bearer sk-0123456789' } },
    true,
  ],
  ['a token in an argument', { command: 'a', args: ['--api-key', 'sk-0123456789'] }, true],
])(
  'lintel import advises to keep a client file out of Git only if it holds a secret: %s',
  async (_, server, isHeld) => {
    const { plan } = await importedFrom(server);
    const commands = listSecretSteps(plan, '.env\n', false).steps.map(([command]) => command);
    expect(commands.includes('echo mcp.json >> .gitignore')).toBe(isHeld);
    expect(commands).toContain('cp .env.example .env');
  },
);

test('lintel import advises to add to an existing .env instead of overwriting it', async () => {
  const { plan } = await importedFrom({ command: 'a', args: ['--api-key', 'sk-0123456789'] });
  const commands = listSecretSteps(plan, '.env\n', true).steps.map(([command]) => command);
  expect(commands).toContain('add to .env what .env.example has and .env lacks');
  expect(commands).not.toContain('cp .env.example .env');
});

test('lintel import describes the variable of a secret argument by its place and flag', async () => {
  const { env } = await importedFrom({
    command: 'a',
    args: ['postgres://u:p4ssw0rd@db/app', '--api-key=sk-0123456789', '${ROOT}/a'],
  });
  expect(env).toContain('of one: argument 1 that the client has.');
  expect(env).toContain('of one: what stands behind --api-key= in argument 2 that the client has.');
  expect(env).not.toMatch(/p4ssw0rd|sk-0123/);
});

test('lintel import writes paths with workspaceFolder relative to the folder of the gateway', async () => {
  const { specs } = await importedFrom({
    command: 'python',
    args: ['${workspaceFolder}/tools/server.py', '--root=${workspaceFolder}'],
    cwd: '${workspaceFolder}/tools',
  });
  expect(specs).toContain('- ./tools/server.py');
  expect(specs).toContain('- --root=.');
  expect(specs).toContain('workingDir: ./tools');
});

test('lintel import suggests --plain for a header that may not be a secret', async () => {
  const url = 'https://a.example.com/mcp';
  const region = { Authorization: 'Bearer sk-0123456789', 'X-Region': 'eu-west-1' };
  expect((await importedFrom({ url, headers: region })).text).toContain('If X-Region is no secret, --plain X-Region');
  expect((await importedFrom({ url, headers: { Authorization: 'sk-0123456789' } })).text).not.toContain('--plain');
});
