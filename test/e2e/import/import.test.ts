/** `lintel import` as a command: what it writes, what it does not import, and its exit code. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';

const REMOTE = { url: 'https://docs.example.com/mcp', headers: { Authorization: 'Bearer S3CRET' } };
const REFUSED_ENTRY = { command: 'npx -y server', env: { TOKEN: 'S3CRET' } };
const PROGRAM_ENTRY = { command: 'npx', args: ['-y', 'server', '--key', 'S3CRET'], env: { LEVEL: '1' } };

const mcpJson = (servers: object) => JSON.stringify({ mcpServers: servers });

function lintel(folder: TemporaryFolder, ...args: readonly string[]) {
  return runLintel(args, { cwd: folder.path });
}

const NOTHING = 'lintel: nothing was written: there is no server that can be carried over\n';
const LEFT_OUT = 'lintel: nothing was written: not everything can be carried over; --partial writes the rest\n';

test('`lintel import` lists settings that it cannot import, and writes no file without --partial', async () => {
  await using folder = await temporaryFolder({ 'mcp.json': mcpJson({ docs: REMOTE, files: REFUSED_ENTRY }) });
  const refused = await lintel(folder, 'import', 'mcp.json');
  expect(refused).toMatchObject({ code: 1, stderr: LEFT_OUT });
  expect(refused.stdout).toContain('\n  mcpServers.files  its command is a line for a shell');
  expect(await readdir(folder.path)).toEqual(['mcp.json']);
  const partial = await lintel(folder, 'import', 'mcp.json', '--partial');
  expect(partial).toMatchObject({ code: 0, stderr: '' });
  const [, written] = partial.stdout.split('\n\nwrote ');
  expect(written).toBe(`specs/imported.yaml
wrote .env.example
wrote lintel.yaml
wrote .gitignore

Next:
  echo mcp.json >> .gitignore        keeps the secrets in this file out of Git
  cp .env.example .env               write each secret behind its name there
  npx lintel check                   finds what is wrong, as CI does
  npx lintel lock --dotenv .env      asks the servers what they offer, and writes it down
  npx lintel dev --dotenv .env       serves the gateway, and follows your changes
  npx lintel connect claude --write  shows it to a client: claude, cursor, vscode, codex and others
`);
  expect(await lintel(folder, 'check', '--fail-on', 'warning')).toMatchObject({ code: 0 });
});

test('`lintel import --format json` prints its report as JSON', async () => {
  await using folder = await temporaryFolder({
    'mcp.json': mcpJson({ docs: REMOTE, files: REFUSED_ENTRY, notes: PROGRAM_ENTRY }),
  });
  const { stdout } = await lintel(
    folder,
    'import',
    'mcp.json',
    '--partial',
    '--format',
    'json',
    '--name',
    'team',
    '--out',
    'gateways',
  );
  expect(JSON.parse(stdout)).toEqual({
    formatVersion: 1,
    gateway: 'team',
    files: [{ file: 'mcp.json', form: 'servers of an MCP client' }],
    servers: [
      {
        file: 'mcp.json',
        place: 'mcpServers.docs',
        name: 'docs',
        kind: 'MCPServerEntry',
        url: REMOTE.url,
        transport: 'streamable-http',
        isTransportGuessed: true,
        mayAskForSignIn: false,
        secrets: [
          {
            variable: 'LINTEL_SECRET_HEADER_FORWARD_AUTHORIZATION_DOCS',
            header: 'Authorization',
            recipe: 'Bearer, a space, and the credential in the imported file',
            secretRef: { name: 'docs-headers', key: 'authorization' },
          },
        ],
        ofClient: [],
      },
      {
        file: 'mcp.json',
        place: 'mcpServers.notes',
        name: 'notes',
        kind: 'MCPServer',
        command: 'npx',
        args: ['-y', 'server', '--key', '$(ARG_KEY)'],
        transport: 'stdio',
        secrets: [
          {
            variable: 'LINTEL_SECRET_ENV_ARG_KEY_NOTES',
            target: 'ARG_KEY',
            recipe: 'argument 4 in the imported file',
            secretRef: null,
          },
        ],
        ofClient: [],
      },
    ],
    objects: [],
    notCarried: [expect.objectContaining({ file: 'mcp.json', place: 'mcpServers.files' })],
    off: [],
    written: ['gateways/team.yaml', '.env.example', 'lintel.yaml', '.gitignore'],
  });
});

test('a second `lintel import` that reads several files adds specs and variables next to those of the first `lintel import`', async () => {
  await using folder = await temporaryFolder({
    'one.json': mcpJson({ docs: REMOTE }),
    'two.json': mcpJson({
      docs: REMOTE,
      'Docs!': { url: 'http://localhost:4501/sse', headers: { 'X-Key': 'S3CRET' } },
    }),
    'three.toml': '[mcp_servers.docs]\nurl = "https://docs.example.com/sse"\nbearer_token_env_var = "DOCS_TOKEN"\n',
  });
  expect(await lintel(folder, 'init', '--server', 'https://docs.example.com/mcp')).toMatchObject({ code: 0 });
  expect(await lintel(folder, 'import', 'one.json', '--name', 'imported')).toMatchObject({ code: 0 });
  const first = await readFile(folder.file('.env.example'), 'utf8');
  expect(await lintel(folder, 'import', 'two.json', 'three.toml', '--name', 'more')).toMatchObject({ code: 0 });
  const both = await readFile(folder.file('.env.example'), 'utf8');
  expect(both.startsWith(first)).toBe(true);
  const names = [...both.matchAll(/^(\w+)=$/gm)].map(([, name]) => name);
  expect(names).toEqual([
    'LINTEL_SECRET_HEADER_FORWARD_AUTHORIZATION_DOCS_2',
    'LINTEL_SECRET_HEADER_FORWARD_AUTHORIZATION_DOCS_3',
    'LINTEL_HEADER_X_KEY_DOCS_4',
    'LINTEL_SECRET_HEADER_FORWARD_AUTHORIZATION_DOCS_5',
  ]);
  expect(await lintel(folder, 'check', '--fail-on', 'warning')).toMatchObject({ code: 0 });
  expect(await lintel(folder, 'build', '--out', 'out')).toMatchObject({ code: 0 });
});

test('`lintel import` replaces the example server of `lintel init` by the imported servers', async () => {
  await using folder = await temporaryFolder({ 'notes/mcp.json': mcpJson({ docs: REMOTE }) });
  expect(await lintel(folder, 'init', '--yes', '--name', 'team')).toMatchObject({ code: 0, stderr: '' });
  const { code, stdout } = await lintel(folder, 'import', 'notes/mcp.json');
  expect(code).toBe(0);
  expect(stdout).toContain('\nwrote specs/gateway.yaml\nwrote .env.example\n');
  expect(stdout).toContain('  npx lintel dev --dotenv .env ');
  expect(await readdir(folder.file('specs'))).toEqual(['gateway.yaml']);
  const specs = await readFile(folder.file('specs/gateway.yaml'), 'utf8');
  expect(specs.match(/^kind: .*|^ {2}name: .*|remoteUrl: .*/gm)).toEqual([
    ...['kind: MCPGroup', '  name: team'],
    ...['kind: MCPServerEntry', '  name: docs', `remoteUrl: ${REMOTE.url}`],
    ...['kind: VirtualMCPServer', '  name: team'],
  ]);
  // From then on it is an ordinary gateway.
  await folder.write({ 'notes/mcp.json': mcpJson({ search: { url: 'https://search.example.com/mcp' } }) });
  expect(await lintel(folder, 'import', 'notes/mcp.json')).toMatchObject({ code: 0 });
  expect(await readFile(folder.file('specs/gateway.yaml'), 'utf8')).toBe(specs);
});

test('`lintel import` adds servers to the only existing gateway, unless --name asks for another gateway', async () => {
  await using folder = await temporaryFolder({ 'mcp.json': mcpJson({ docs: REMOTE, notes: PROGRAM_ENTRY }) });
  const server = ['--server', 'https://search.example.com/mcp'];
  expect(await lintel(folder, 'init', '--yes', '--name', 'team', ...server)).toMatchObject({ code: 0 });
  const before = await readFile(folder.file('specs/gateway.yaml'), 'utf8');
  const { code, stdout } = await lintel(folder, 'import', 'mcp.json');
  expect(code).toBe(0);
  expect(stdout).toContain('\nwrote specs/team-2.yaml\n');
  expect(stdout).toContain('\nThe servers are in the group team, which a gateway has already. ');
  expect(stdout).toMatch(
    /^ {2}add docs, notes to aggregation\.tools of team +until then it shows none of their tools$/m,
  );
  expect(await readFile(folder.file('specs/gateway.yaml'), 'utf8')).toBe(before);
  const again = await lintel(folder, 'import', 'mcp.json');
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('--name makes another gateway')]);
  expect(await lintel(folder, 'import', 'mcp.json', '--name', 'own')).toMatchObject({ code: 0 });
  await rm(folder.file('specs/team-2.yaml'));
  expect(await lintel(folder, 'import', 'mcp.json')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      'specs has several gateways: --into adds the servers to the group of one (team, own), --name makes another gateway',
    ),
  });
});

test('`lintel import` keeps existing files, and its report says what to add to them', async () => {
  await using folder = await temporaryFolder({
    'mcp.json': mcpJson({ docs: { url: 'https://docs.example.com/mcp' } }),
    'lintel.yaml': 'sources: [other]\n',
    '.gitignore': 'node_modules/\n',
  });
  const { code, stdout } = await lintel(folder, 'import', 'mcp.json');
  expect(code).toBe(0);
  expect(stdout).toContain(`

wrote specs/imported.yaml

Next:
  echo .env >> .gitignore            keeps your secrets out of Git
  npx lintel check specs             finds what is wrong, as CI does
  npx lintel lock specs              asks the servers what they offer, and writes it down
  npx lintel dev specs               serves the gateway, and follows your changes
`);
  expect(await readFile(folder.file('lintel.yaml'), 'utf8')).toBe('sources: [other]\n');
});

const OBJECTS = `apiVersion: toolhive.stacklok.dev/v1alpha1
kind: MCPGroup
metadata: { name: tools }
---
apiVersion: toolhive.stacklok.dev/v1alpha1
kind: MCPServerEntry
metadata: { name: docs }
spec: { remoteURL: "https://docs.example.com/mcp", transport: streamable-http, groupRef: tools }
---
apiVersion: toolhive.stacklok.dev/v1alpha1
kind: VirtualMCPServer
metadata: { name: eng }
spec: { config: { groupRef: tools }, incomingAuth: { type: anonymous }MORE }
`;

test('`lintel import` converts objects of an older version of ToolHive, and its report lists the changes', async () => {
  await using folder = await temporaryFolder({
    'old.yaml': OBJECTS.replace('MORE', ''),
    'older.yaml': OBJECTS.replace('MORE', ', tokenCache: { provider: memory }, colour: red'),
  });
  const whole = await lintel(folder, 'import', 'old.yaml');
  expect(whole).toMatchObject({ code: 0, stderr: '' });
  expect(whole.stdout).toContain('\n  MCPServerEntry docs   spec.remoteURL → spec.remoteUrl\n');
  expect(whole.stdout).toContain('wrote specs/imported.yaml\n');
  expect(await lintel(folder, 'check', '--fail-on', 'warning')).toMatchObject({ code: 0 });
  expect(await lintel(folder, 'build', '--out', 'out')).toMatchObject({ code: 0 });

  // A setting that no version supports is lost like one that this version dropped.
  const left = await lintel(folder, 'import', 'older.yaml', '--name', 'more');
  expect(left).toMatchObject({ code: 1, stderr: LEFT_OUT });
  expect(left.stdout).toContain('VirtualMCPServer eng spec.tokenCache  a gateway keeps tokens in memory');
  expect(left.stdout).toMatch(/VirtualMCPServer eng spec\.colour +unknown field "colour".* \(LNT1003\)\n/);
});

test('`lintel import --plain` suppresses the finding about a query parameter that is no secret, and writes the reason', async () => {
  const url = 'https://search.example.com/mcp?api_key=public-demo-key';
  const local = 'http://127.0.0.1:4501/mcp?token=public-demo-key';
  await using folder = await temporaryFolder({ 'mcp.json': mcpJson({ search: { url }, local: { url: local } }) });
  expect(await lintel(folder, 'import', 'mcp.json')).toMatchObject({ code: 1, stderr: NOTHING });
  const plain = ['--plain', 'api_key', '--plain', 'token'];
  expect(await lintel(folder, 'import', 'mcp.json', ...plain)).toMatchObject({ code: 0 });
  const specs = await readFile(folder.file('specs/imported.yaml'), 'utf8');
  expect(specs).toContain(`  # lintel-ignore LNT6025: no secret, as --plain says\n  remoteUrl: ${url}\n`);
  const check = await lintel(folder, 'check', '--fail-on', 'warning');
  expect([check.code, check.stdout]).toEqual([0, expect.stringContaining('2 findings suppressed')]);
});

test('`lintel import --only` imports only the servers that it names', async () => {
  await using folder = await temporaryFolder({ 'mcp.json': mcpJson({ docs: REMOTE, files: REFUSED_ENTRY }) });
  expect(await lintel(folder, 'import', 'mcp.json', '--only', 'docs')).toMatchObject({ code: 0, stderr: '' });
  expect(await readFile(folder.file('specs/imported.yaml'), 'utf8')).not.toContain('files');
  const mistyped = await lintel(folder, 'import', 'mcp.json', '--name', 'more', '--only', 'dosc');
  const message = 'lintel: --only dosc: no file has a server of this name; did you mean docs?\n';
  expect(mistyped).toMatchObject({ code: 2, stderr: message });
});

test.each<[what: string, args: readonly string[], code: number, message: string]>([
  [
    'a file without servers',
    ['empty.json', '--name', 'new'],
    1,
    'nothing was written: there is no server that can be carried over',
  ],
  [
    'a gateway that exists already',
    ['mcp.json'],
    2,
    'specs/imported.yaml exists already and stays as it is; new is docs; to write all of them once more, give the gateway another --name',
  ],
  [
    'an object of the same name',
    ['mcp.json', '--name', 'taken'],
    2,
    'an object in specs is called taken already: give the gateway another --name',
  ],
  [
    'an invalid name of a gateway',
    ['mcp.json', '--name', 'My Tools'],
    2,
    '--name: a name has small letters, digits and hyphens, begins with a letter, and is no longer than 40 characters',
  ],
  [
    'a misspelt file',
    ['mcp.jsn'],
    2,
    'cannot read mcp.jsn: it does not exist, or is a link to a file that does not exist; did you mean mcp.json?',
  ],
  [
    'a file that does not exist',
    ['none.json'],
    2,
    'cannot read none.json: it does not exist, or is a link to a file that does not exist',
  ],
  [
    'a file of another program',
    ['package.json'],
    2,
    'package.json: this is no configuration that `lintel import` knows: see `lintel import --help`',
  ],
  ['a file with a syntax error', ['broken.json'], 2, 'broken.json:1:24: this is no JSON: value expected'],
])('`lintel import` refuses its arguments and says why: %s', async (_, args, code, message) => {
  await using folder = await temporaryFolder({
    'mcp.json': mcpJson({ docs: REMOTE }),
    'empty.json': mcpJson({}),
    'broken.json': '{ "mcpServers": { "a": } }',
    'package.json': '{ "name": "x" }',
    'specs/imported.yaml': '# mine\n',
    'specs/other.yaml': 'apiVersion: lintel.dev/v1beta1\nkind: MCPGroup\nmetadata: { name: taken }\n',
  });
  expect(await lintel(folder, 'import', ...args)).toMatchObject({ code, stderr: `lintel: ${message}\n` });
  expect(await readFile(folder.file('specs/imported.yaml'), 'utf8')).toBe('# mine\n');
});

test('a repeated `lintel import` keeps edited files, and --into adds new servers to the group', async () => {
  const later = { docs: REMOTE, Search: { url: 'https://search.example.com/mcp' }, notes: PROGRAM_ENTRY };
  await using folder = await temporaryFolder({ 'mcp.json': mcpJson({ docs: REMOTE }) });
  expect(await lintel(folder, 'import', 'mcp.json')).toMatchObject({ code: 0 });
  const edited = `${await readFile(folder.file('specs/imported.yaml'), 'utf8')}# mine\n`;
  await folder.write({ 'specs/imported.yaml': edited });
  const again = (text: string) =>
    `lintel: specs/imported.yaml exists already and stays as it is; ${text}; to write all of them once more, give the gateway another --name\n`;
  expect(await lintel(folder, 'import', 'mcp.json')).toEqual({
    code: 2,
    stdout: '',
    stderr: again('no server of mcp.json is new'),
  });
  await folder.write({ 'mcp.json': mcpJson(later) });
  expect(await lintel(folder, 'import', 'mcp.json')).toMatchObject({
    code: 2,
    stderr: again('--into imported adds what is new: Search, notes'),
  });
  const { code, stdout, stderr } = await lintel(folder, 'import', 'mcp.json', '--into', 'imported');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain(
    'Left out, because a gateway does not need it:\n  mcpServers.docs  specs has an object of this name already\n',
  );
  expect(stdout).toContain('wrote specs/imported-2.yaml\nwrote .env.example\n\nNext:\n');
  expect(stdout).toMatch(
    /^ {2}add search, notes to aggregation\.tools of imported +until then it shows none of their tools$/m,
  );
  expect(await readFile(folder.file('specs/imported.yaml'), 'utf8')).toBe(edited);
  const added = await readFile(folder.file('specs/imported-2.yaml'), 'utf8');
  expect(added.match(/^kind: .*|^ {2}name: .*/gm)).toEqual([
    'kind: MCPServerEntry',
    '  name: search',
    'kind: MCPServer',
    '  name: notes',
  ]);
  expect(added.match(/groupRef:\n {4}name: imported\n/g)).toHaveLength(2);
  const names = await readFile(folder.file('.env.example'), 'utf8');
  expect(names.match(/^LINTEL_\w+=/gm)).toHaveLength(2);
  expect(await lintel(folder, 'check', '--fail-on', 'error')).toMatchObject({ code: 0 });
  expect(await lintel(folder, 'import', 'mcp.json', '--into', 'imported')).toMatchObject({ code: 1, stderr: NOTHING });
  expect(await lintel(folder, 'import', 'mcp.json', '--into', 'importde')).toMatchObject({
    code: 2,
    stderr: 'lintel: --into importde: specs has no MCPGroup of this name; did you mean imported?\n',
  });
});

test('`lintel serve --dotenv` exits with code 2 if the file of variables does not exist', async () => {
  await using folder = await temporaryFolder({ 'a.yaml': '' });
  const { code, stderr } = await lintel(folder, 'serve', 'a.yaml', '--dotenv', '.env');
  expect([code, stderr]).toEqual([2, expect.stringContaining('lintel: --dotenv: cannot read .env: ')]);
  await folder.write({ 'team.env': '' });
  const mistyped = await lintel(folder, 'serve', 'a.yaml', '--dotenv', 'taem.env');
  expect(mistyped.stderr).toContain('did you mean team.env?');
  const inFolder = await lintel(folder, 'serve', 'a.yaml', '--dotenv', '.');
  expect(inFolder.stderr).toBe('lintel: --dotenv: cannot read .: it is a folder\n');
});

test('`lintel import` exits with code 2 if .env.example is a folder', async () => {
  await using folder = await temporaryFolder({
    'mcp.json': JSON.stringify({ mcpServers: { a: { command: 'a', env: { TOKEN: 's3cret-value' } } } }),
    '.env.example/readme': '',
  });
  const { code, stderr } = await lintel(folder, 'import', 'mcp.json');
  expect([code, stderr]).toEqual([2, 'lintel: cannot read .env.example: it is a folder\n']);
});

test.each([
  [
    'in UTF-16',
    'NAME=1\n'.split('').join('\0'),
    'wide.env: the file holds a NUL character at byte 1; save it as UTF-8, with a line NAME=value for each variable',
  ],
  ['that never ends', undefined, '/dev/zero is larger than 1048576 bytes: give a file of NAME=value lines'],
])('`lintel serve --dotenv` exits with code 2 for a file of variables %s', async (_, text, message) => {
  await using folder = await temporaryFolder({ 'a.yaml': '', ...(text !== undefined && { 'wide.env': text }) });
  const file = text === undefined ? '/dev/zero' : 'wide.env';
  const { code, stderr } = await lintel(folder, 'serve', 'a.yaml', '--dotenv', file);
  expect([code, stderr]).toEqual([2, `lintel: --dotenv: ${message}\n`]);
});
