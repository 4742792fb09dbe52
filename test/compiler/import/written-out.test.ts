// biome-ignore-all lint/suspicious/noTemplateCurlyInString: as clients write it
/** How the report of `lintel import` describes values that are in the file, and values that the file only names, such as variables. */
import { homedir } from 'node:os';
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
  ['hunter', true],
  ['', false],
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
  "lintel import advises to keep a client's configuration file out of Git only if the file contains a secret: %s",
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

test('lintel import describes the variable for a secret argument by the position of the argument and its flag', async () => {
  const { env } = await importedFrom({
    command: 'a',
    args: ['postgres://u:p4ssw0rd@db/app', '--api-key=sk-0123456789', '${ROOT}/a'],
  });
  expect(env).toContain('of one: argument 1 in the imported file.');
  expect(env).toContain('of one: what stands behind --api-key= in argument 2 in the imported file.');
  expect(env).toContain('of one: argument 3 in the imported file, with what ROOT holds filled in.');
  expect(env).not.toMatch(/p4ssw0rd|sk-0123/);
});

test('lintel import writes paths with workspaceFolder relative to the folder of the gateway', async () => {
  const { specs } = await importedFrom({
    command: '${workspaceFolder}/.venv/bin/python',
    args: ['${workspaceFolder}/tools/server.py', '--root=${workspaceFolder}'],
  });
  expect(specs).toContain('command: ./.venv/bin/python\n');
  expect(specs).toContain('- ./tools/server.py\n');
  expect(specs).toContain('- --root=.\n');
});

// A program finds its files from the folder in which it runs.
test.each([
  ['${workspaceFolder}/tools', './tools', '..'],
  ['tools/inner', 'tools/inner', '../..'],
  ['${workspaceFolder}', '.', '.'],
  ['/srv/tools', '/srv/tools', process.cwd()],
])('lintel import writes paths with workspaceFolder as seen from the folder %s of the program', async (...row) => {
  const [cwd, workingDir, workspace] = row;
  const { plan } = await importedFrom({
    command: '${workspaceFolder}/.venv/bin/python',
    args: ['${workspaceFolder}/server.py'],
    cwd,
  });
  expect(plan.carried.map(({ server }) => server)).toEqual([
    expect.objectContaining({
      command: `${workspace}/.venv/bin/python`,
      args: [`${workspace}/server.py`],
      workingDir,
    }),
  ]);
});

test('lintel import numbers an argument as in the imported file, even if it adds or leaves out arguments before this one', async () => {
  const windows = await importedFrom({ command: 'cmd', args: ['/c', 'npx', 'server', '--api-key', 'sk-0123456789'] });
  expect(windows.env).toContain('argument 5 in the imported file.');
  await using folder = await temporaryFolder({
    'run.json': JSON.stringify({
      schema_version: 'v0.1.0',
      image: 'example/a',
      transport: 'stdio',
      cmd_args: ['serve', '--api-key', 'sk-0123456789'],
      volumes: ['x9Kq27fhA81Lmn04:/data'],
    }),
  });
  const { env } = imported(folder.file('run.json'), 'run.json');
  expect(env).toContain('argument 3 in the imported file.');
  expect(env).toContain('what the imported file has for -v.');
});

test.each([
  ['Bearer ${TOKEN}', 'Bearer, a space, and what TOKEN holds'],
  ['Bearer sk-1', 'Bearer, a space, and the credential in the imported file'],
  ['Bearer a-${TOKEN}', 'Bearer, a space, and the credential in the imported file, with what TOKEN holds filled in'],
  ['${A} ${B}', 'what A and B hold'],
  ['${input:team}', 'what the input team holds'],
  ['${CACHE:-/tmp/cache}', 'what CACHE holds, or else the default in the imported file'],
  ['postgres://me:${env:PASSWORD}@db/app', 'the value in the imported file, with what PASSWORD holds filled in'],
  ['${file:/home/ann/.key}', 'what the file holds that this value names'],
  ['${cmd: op read op://vault/key}', 'what the command prints that this value names'],
])('lintel import describes the value %s of a variable as %s', async (value, recipe) => {
  const { plan } = await importedFrom({ command: 'a', env: { VALUE: value } });
  expect(plan.carried.flatMap(({ variables }) => variables.map(variable => variable.recipe))).toEqual([recipe]);
});

test("lintel import replaces variables for folders in a client's configuration, such as userHome, by the folders of this machine", async () => {
  const { plan } = await importedFrom({
    command: '${userHome}/.bun/bin/bun',
    args: ['${workspaceFolder}${pathSeparator}server.ts', '${CLAUDE_PROJECT_DIR:-.}${/}data', '--path=${HOME}/notes'],
    env: { CACHE: '${env:HOME}/.cache/server' },
  });
  expect(plan.carried.map(({ server }) => server)).toEqual([
    expect.objectContaining({
      command: `${homedir()}/.bun/bin/bun`,
      args: ['./server.ts', './data', `--path=${homedir()}/notes`],
      plainVariables: { CACHE: `${homedir()}/.cache/server` },
      secretVariables: [],
    }),
  ]);
});

test('lintel import suggests --plain for a header that may not be a secret', async () => {
  const url = 'https://a.example.com/mcp';
  const region = { Authorization: 'Bearer sk-0123456789', 'X-Region': 'eu-west-1' };
  expect((await importedFrom({ url, headers: region })).text).toContain('If X-Region is no secret, --plain X-Region');
  expect((await importedFrom({ url, headers: { Authorization: 'sk-0123456789' } })).text).not.toContain('--plain');
  const env = { OPENWEATHER_KEY: '0f1e2d3c4b5a6978', DB: 'postgres://${USER}@db/app', UNITS: 'metric' };
  const { text } = await importedFrom({ command: 'a', env });
  expect(text).toContain('If UNITS is no secret, --plain UNITS writes its value into the specs.');
  expect((await importedFrom({ command: 'a', env: { DB: env.DB } })).text).not.toContain('--plain');
});
