/** `lintel init` where MCP clients have servers configured: what it offers, imports, and leaves unchanged. */
import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';

const REMOTE = { type: 'http', url: 'https://docs.example.com/mcp', headers: { Authorization: 'Bearer S3CRET' } };
const PROGRAM = { command: 'npx', args: ['-y', 'server-everything'] };
const SHELL_LINE = { command: 'npx -y server' };

const mcpJson = (servers: object, table = 'mcpServers') => JSON.stringify({ [table]: servers });

function init(folder: TemporaryFolder, ...args: readonly string[]) {
  return runLintel(['init', '--yes', ...args], { cwd: folder.path, env: { HOME: folder.file('home') } });
}

async function specsIn(folder: TemporaryFolder): Promise<string> {
  return await readFile(folder.file('specs/gateway.yaml'), 'utf8');
}

const CLIENT_FILES: readonly (readonly [file: string, text: string])[] = [
  ['.mcp.json', mcpJson({ docs: REMOTE })],
  ['.cursor/mcp.json', mcpJson({ docs: REMOTE })],
  ['.vscode/mcp.json', mcpJson({ docs: REMOTE }, 'servers')],
  ['.codex/config.toml', '[mcp_servers.docs]\nurl = "https://docs.example.com/mcp"\nbearer_token_env_var = "S3CRET"\n'],
  ['mcp.json', mcpJson({ docs: REMOTE })],
];

test.each(CLIENT_FILES)(
  '`lintel init` puts the servers of %s behind the gateway, without their secrets',
  async (file, text) => {
    await using folder = await temporaryFolder({ [file]: text });
    const { code, stdout, stderr } = await init(folder, '--ci', 'none');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`\nwrote specs/gateway.yaml\nwrote .env.example\nwrote lintel.yaml\nwrote .gitignore\n`);
    expect(stdout).toContain('LINTEL_SECRET_HEADER_FORWARD_AUTHORIZATION_DOCS');
    const specs = await specsIn(folder);
    expect(specs).toContain(`description: Imported from ${file}.\n`);
    expect(specs).toContain('remoteUrl: https://docs.example.com/mcp\n');
    for (const written of ['specs/gateway.yaml', '.env.example'])
      expect(await readFile(folder.file(written), 'utf8')).not.toMatch(/Bearer S3CRET/);
    // A Secret that is in no file is a hint, as intended.
    const check = await runLintel(['check', '--fail-on', 'warning'], { cwd: folder.path });
    expect(check).toMatchObject({ code: 0 });
  },
);

test('`lintel init` names the secrets, the check and the tool lock as next steps', async () => {
  await using folder = await temporaryFolder({ '.mcp.json': mcpJson({ docs: REMOTE, all: PROGRAM }) });
  const { stdout } = await init(folder);
  const [, next] = stdout.split('\nNext:\n');
  expect(next).toBe(`  echo .mcp.json >> .gitignore       keeps the secrets in this file out of Git
  cp .env.example .env               write each secret behind its name there
  npx lintel check                   finds what is wrong, as CI does
  npx lintel lock --dotenv .env      asks the servers what they offer, and writes it down
  npx lintel dev --dotenv .env       serves the gateway, and follows your changes
  npx lintel connect claude --write  shows it to a client: claude, cursor, vscode, codex and others
`);
});

test('`lintel init` imports .mcp.json rather than .cursor/mcp.json, or the file that --from names', async () => {
  const files = {
    '.mcp.json': mcpJson({ shared: PROGRAM }),
    '.cursor/mcp.json': mcpJson({ own: PROGRAM }),
    'other.json': mcpJson({ another: PROGRAM }),
  };
  await using first = await temporaryFolder(files);
  expect(await init(first)).toMatchObject({ code: 0 });
  expect(await specsIn(first)).toContain('  name: shared\n');
  await using second = await temporaryFolder(files);
  expect(await init(second, '--from', 'other.json')).toMatchObject({ code: 0 });
  expect(await specsIn(second)).toContain('  name: another\n');
});

test('`lintel init` imports a file of the home folder only if --from names it', async () => {
  const home = { 'home/.cursor/mcp.json': mcpJson({ own: PROGRAM }), 'home/.claude.json': mcpJson({ own: PROGRAM }) };
  await using folder = await temporaryFolder(home);
  expect((await init(folder)).stdout).toContain('put the URL of your server into specs/gateway.yaml');
  expect(await specsIn(folder)).toContain('https://example.com/mcp');
  await using named = await temporaryFolder(home);
  expect(await init(named, '--from', '~/.cursor/mcp.json')).toMatchObject({ code: 0 });
  expect(await specsIn(named)).toContain('  name: own\n');
});

test('`lintel init` leaves out servers that it cannot import, names them in its last line and exits with code 1', async () => {
  const files = { '.mcp.json': mcpJson({ all: PROGRAM, files: SHELL_LINE }) };
  for (const args of [[], ['--from', '.mcp.json']]) {
    await using folder = await temporaryFolder(files);
    const outcome = await init(folder, ...args);
    expect([outcome.code, outcome.stderr]).toEqual([
      1,
      'lintel: not carried over from .mcp.json: mcpServers.files; the reasons are above\n',
    ]);
    expect(outcome.stdout).toContain(
      'Not carried over:\n  mcpServers.files  its command is a line for a shell: write its words into args\n',
    );
    expect(await specsIn(folder)).not.toContain('name: files');
    expect(await runLintel(['check'], { cwd: folder.path })).toMatchObject({ code: 0 });
  }
});

test('`lintel init` leaves out an entry that leads to the gateway itself', async () => {
  const gateway = { type: 'http', url: 'http://127.0.0.1:4483/mcp' };
  const bridged = { command: 'npx', args: ['-y', 'mcp-remote', 'http://localhost:4483/mcp', '--allow-http'] };
  await using folder = await temporaryFolder({
    '.mcp.json': mcpJson({ lintel: gateway, desktop: bridged, all: PROGRAM }),
  });
  const { code, stdout } = await init(folder, '--from', '.mcp.json');
  expect(code).toBe(0);
  expect(stdout).toContain('mcpServers.lintel   it is where `lintel dev` serves the gateway\n');
  expect(await specsIn(folder)).not.toContain('4483');
  // Without any other server there is nothing to offer.
  await using alone = await temporaryFolder({ '.mcp.json': mcpJson({ lintel: gateway }) });
  expect((await init(alone)).stdout).not.toContain('.mcp.json');
});

test('`lintel init` imports only the servers of the current folder from ~/.claude.json', async () => {
  await using folder = await temporaryFolder();
  const projects = {
    [folder.path]: { mcpServers: { here: PROGRAM } },
    '/elsewhere': { mcpServers: { there: PROGRAM } },
  };
  await using home = await temporaryFolder({
    'claude.json': JSON.stringify({ mcpServers: { everywhere: PROGRAM }, projects }),
  });
  expect(await init(folder, '--from', home.file('claude.json'))).toMatchObject({ code: 0 });
  const specs = await specsIn(folder);
  expect([...specs.matchAll(/kind: MCPServer\nmetadata:\n {2}name: (.*)\n/g)].map(([, name]) => name)).toEqual([
    'everywhere',
    'here',
  ]);
});

test('`lintel init` names an unreadable client file and imports the other files', async () => {
  await using folder = await temporaryFolder({ '.mcp.json': '{', '.cursor/mcp.json': mcpJson({ own: PROGRAM }) });
  const { code, stdout } = await init(folder);
  expect(code).toBe(0);
  expect(stdout).toContain('.mcp.json is not imported: .mcp.json:1:2: this is no JSON: close brace expected\n');
  expect(await specsIn(folder)).toContain('  name: own\n');
});

test('`lintel init` writes the example server and exits with code 1 if it can import no server', async () => {
  await using folder = await temporaryFolder({ '.mcp.json': '{' });
  const { code, stdout, stderr } = await init(folder);
  expect([code, stderr]).toEqual([
    1,
    'lintel: .mcp.json is not imported: .mcp.json:1:2: this is no JSON: close brace expected\n',
  ]);
  expect(stdout).toContain('  put the URL of your server into specs/gateway.yaml\n');
  const check = await runLintel(['check'], { cwd: folder.path });
  expect([check.code, check.stdout]).toEqual([0, expect.stringContaining('warning[LNT6026] placeholder-url: ')]);
});

test.each<[what: string, files: Record<string, string>, args: readonly string[], message: string]>([
  [
    'a file that does not exist',
    {},
    ['--from', 'x.json'],
    '--from: x.json is neither the URL of a server nor a file: give an http or https URL, or the path of a file such as mcp.json',
  ],
  [
    'a file that is not JSON',
    { 'x.json': '{' },
    ['--from', 'x.json'],
    '--from: x.json:1:2: this is no JSON: close brace expected',
  ],
  ['a file without servers', { 'x.json': '{"mcpServers":{}}' }, ['--from', 'x.json'], '--from: x.json has no servers'],
  [
    'a file whose servers cannot be imported',
    { 'x.json': mcpJson({ files: SHELL_LINE }) },
    ['--from', 'x.json'],
    '--from: no server of x.json can be carried over: mcpServers.files: its command is a line for a shell: write its words into args',
  ],
  [
    'the configuration of another gateway product',
    { 'x.yaml': 'mcp: { targets: [{ name: a, mcp: { host: https://a.example.com } }] }\n' },
    ['--from', 'x.yaml'],
    '--from: x.yaml is the file of no client: `lintel import` reads it',
  ],
  [
    'existing specs',
    { 'x.json': mcpJson({ all: PROGRAM }), 'specs/a.yaml': '# mine\n' },
    ['--from', 'x.json'],
    '--from: there are specs in specs already: `lintel import x.json` adds the servers',
  ],
])('`lintel init --from` with %s exits with code 2 and writes no file', async (_, files, args, message) => {
  await using folder = await temporaryFolder(files);
  const before = await readdir(folder.path);
  expect(await init(folder, ...args)).toEqual({ code: 2, stdout: '', stderr: `lintel: ${message}\n` });
  expect(await readdir(folder.path)).toEqual(before);
});

test('`lintel init` imports no client file if there are specs already', async () => {
  await using folder = await temporaryFolder({ '.mcp.json': mcpJson({ all: PROGRAM }), 'specs/a.yaml': '# mine\n' });
  const { code, stdout } = await init(folder);
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('specs exists and is left as it is: `lintel import` adds servers of a client\n'),
  ]);
  expect(stdout).not.toContain('.mcp.json');
});

test('`lintel init` keeps an existing .env.example and names the variables that it lacks', async () => {
  await using folder = await temporaryFolder({ '.mcp.json': mcpJson({ docs: REMOTE }), '.env.example': 'MINE=\n' });
  const { stdout } = await init(folder);
  expect(stdout).toContain(
    '.env.example exists and is left as it is; it does not have LINTEL_SECRET_HEADER_FORWARD_AUTHORIZATION_DOCS\n',
  );
  expect(await readFile(folder.file('.env.example'), 'utf8')).toBe('MINE=\n');
});
