/** `lintel connect`: the entry in each client's format, in files that belong to the user. */
import { execFileSync } from 'node:child_process';
import { chmod, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { IGNORE_TEXT } from '../../../compiler/starter/project-files.ts';
import { runLintel } from '../../support/lintel.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';

/** Starts references to variables, in the syntax of clients. */
const DOLLAR = '$';

const URL = 'http://127.0.0.1:4483/mcp';

function connect(folder: TemporaryFolder, ...args: readonly string[]) {
  return runLintel(['connect', ...args], {
    cwd: folder.path,
    env: { HOME: folder.path, XDG_CONFIG_HOME: folder.file('.config') },
  });
}

test.each<[client: string, args: readonly string[], printed: unknown]>([
  ['claude', [], { mcpServers: { lintel: { type: 'http', url: URL } } }],
  [
    'claude',
    ['--token-env', 'GATEWAY_TOKEN'],
    {
      mcpServers: { lintel: { type: 'http', url: URL, headers: { Authorization: `Bearer ${DOLLAR}{GATEWAY_TOKEN}` } } },
    },
  ],
  [
    'claude-desktop',
    [],
    { mcpServers: { lintel: { command: 'npx', args: ['-y', 'mcp-remote', URL, '--allow-http'] } } },
  ],
  [
    'cursor',
    ['--name', 'team', '--url', 'https://mcp.example.com/mcp', '--token-env', 'GATEWAY_TOKEN'],
    {
      mcpServers: {
        team: { url: 'https://mcp.example.com/mcp', headers: { Authorization: `Bearer ${DOLLAR}{env:GATEWAY_TOKEN}` } },
      },
    },
  ],
  ['vscode', [], { servers: { lintel: { type: 'http', url: URL } } }],
])(
  '`lintel connect %s` prints the configuration entry for this client with the options %j',
  async (client, args, printed) => {
    await using folder = await temporaryFolder();
    const { code, stdout, stderr } = await connect(folder, client, ...args);
    expect([code, JSON.parse(stdout)]).toEqual([0, printed]);
    expect(stderr).toMatch(/^lintel: the entry belongs into .+; --write writes it there\n$/);
    expect(await readdir(folder.path)).toEqual([]);
  },
);

test('`lintel connect codex` prints the entry for Codex', async () => {
  await using folder = await temporaryFolder();
  const { stdout } = await connect(folder, 'codex', '--token-env', 'GATEWAY_TOKEN');
  expect(stdout).toBe(`[mcp_servers.lintel]\nurl = "${URL}"\nbearer_token_env_var = "GATEWAY_TOKEN"\n`);
});

test("`lintel connect --write` fails if a folder has the name of the client's file, and keeps the folder", async () => {
  await using folder = await temporaryFolder({ 'mcp.json/readme': '' });
  const { code, stdout, stderr } = await connect(folder, 'claude', '--write', '--file', 'mcp.json');
  expect([code, stdout, stderr]).toEqual([2, '', 'lintel: cannot read mcp.json: it is a folder\n']);
  expect(await readdir(folder.file('mcp.json'))).toEqual(['readme']);
});

test('`lintel connect inspector` prints the command for MCP Inspector', async () => {
  await using folder = await temporaryFolder();
  const { stdout } = await connect(folder, 'inspector');
  expect(stdout).toBe(`npx @modelcontextprotocol/inspector\n# then Transport Type: Streamable HTTP, URL: ${URL}\n`);
});

test.each([
  ['claude', '.mcp.json'],
  ['claude-desktop', '.config/Claude/claude_desktop_config.json'],
  ['cursor', '.cursor/mcp.json'],
  ['vscode', '.vscode/mcp.json'],
  ['codex', '.codex/config.toml'],
])(
  '`lintel connect %s --write` creates the configuration file of the client, and changes nothing when it runs again',
  async (client, file) => {
    await using folder = await temporaryFolder();
    const { stdout: printed } = await connect(folder, client);
    const first = await connect(folder, client, '--write');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    // Some clients have one file for each folder, so the folder is reported.
    const wrote = [`wrote ${file} in ${folder.path}\n`, `wrote ${folder.file(file)}\n`];
    expect(wrote).toContain(first.stdout);
    expect(await readFile(folder.file(file), 'utf8')).toBe(printed);
    expect((await stat(folder.file(file))).mode & 0o777).toBe(0o600);
    const second = await connect(folder, client, '--write');
    expect(second.stdout).toMatch(/ has this entry already\n$/);
    expect(await readFile(folder.file(file), 'utf8')).toBe(printed);
  },
);

test('`lintel connect --write` saves the former content of a file next to it, with the same permissions', async () => {
  const before = '{\n  // mine\n  "mcpServers": { "a": { "url": "https://a.example.com" } }\n}\n';
  await using folder = await temporaryFolder({ 'dotfiles/mcp.json': before, '.cursor/mcp.json.backup': 'older' });
  await chmod(folder.file('dotfiles/mcp.json'), 0o640);
  await symlink('../dotfiles/mcp.json', folder.file('.cursor/mcp.json'));
  const { code, stdout } = await connect(folder, 'cursor', '--write');
  expect(code).toBe(0);
  const [wrote, ...others] = stdout.split('\n');
  expect(wrote).toMatch(/; the previous content is in .*mcp\.json\.backup: it may contain secrets$/);
  expect(others).toEqual([
    'Another server stays in it, which Cursor reaches without the gateway: a',
    "Remove the servers that are also behind the gateway: the client would have their tools twice, once without the gateway's policies.",
    '',
  ]);
  expect(await readFile(folder.file('dotfiles/mcp.json.backup'), 'utf8')).toBe(before);
  expect(await readFile(folder.file('.cursor/mcp.json.backup'), 'utf8')).toBe('older');
  const after = await readFile(folder.file('.cursor/mcp.json'), 'utf8');
  expect(after).toContain('// mine');
  expect(after).toContain('"lintel"');
  expect((await stat(folder.file('dotfiles/mcp.json'))).mode & 0o777).toBe(0o640);
  await connect(folder, 'cursor', '--write', '--force', '--url', 'https://mcp.example.com/mcp');
  expect(await readFile(folder.file('dotfiles/mcp.json.backup-2'), 'utf8')).toBe(after);
});

test.each([
  ['claude', '.mcp.json', '{"mcpServers":{"docs":{"url":"https://a.example.com"},"notes":{"command":"n"}}}'],
  ['vscode', '.vscode/mcp.json', '{"servers":{"docs":{"url":"https://a.example.com"},"notes":{"command":"n"}}}'],
  [
    'codex',
    '.codex/config.toml',
    '[mcp_servers.docs]\nurl = "https://a.example.com"\n[mcp_servers.notes]\ncommand = "n"\n',
  ],
])(
  'each call of `lintel connect %s --write` names the servers that the client reaches without the gateway',
  async (...args) => {
    const [client, file, before] = args;
    await using folder = await temporaryFolder({ [file]: before });
    const first = await connect(folder, client, '--write');
    const second = await connect(folder, client, '--write');
    for (const { stdout } of [first, second])
      expect(stdout).toMatch(
        /\n2 other servers stay in it, which .+ reaches without the gateway: docs, notes\nRemove the servers /,
      );
  },
);

test.each([
  ['', ', so keep it out of Git'],
  [IGNORE_TEXT, ''],
])(
  'in a repository with .gitignore %j `lintel connect --write` saves a copy of the file with the advice %j',
  async (...args) => {
    const [ignored, advice] = args;
    await using folder = await temporaryFolder({ '.gitignore': ignored, '.cursor/mcp.json': '{}' });
    execFileSync('git', ['init', '--quiet', folder.path]);
    const { stdout } = await connect(folder, 'cursor', '--write');
    expect(stdout).toMatch(new RegExp(`mcp\\.json\\.backup: it may contain secrets${advice}\\n$`));
  },
);

test.each<[args: readonly string[], message: string]>([
  [
    ['cursor', '--url', 'mcp.example.com'],
    '--url: this is not an http or https URL: it does not begin with http:// or https://',
  ],
  [
    ['cursor', '--url', 'https://mcp.example.com/mcp?key=S3CRET'],
    '--url: the query parameter key of its URL may be a secret: send it in a header instead',
  ],
  [
    ['cursor', '--token-env', 'S3CRET-token'],
    '--token-env takes the name of a variable, such as GATEWAY_TOKEN; write no token here, because other users of this machine can see it',
  ],
  [
    ['claude-desktop', '--token-env', 'GATEWAY_TOKEN'],
    'Claude Desktop has no variables in its file, and a token does not belong there: leave --token-env out, and the client signs people in',
  ],
  [
    ['inspector', '--write'],
    'MCP Inspector has no file to write to: run the command that `lintel connect inspector` prints',
  ],
  [['cursor', '--name', 'a b'], '--name: clients take letters, digits, hyphens and underscores, the first a letter'],
])('`lintel connect` refuses the arguments %j', async (args, message) => {
  await using folder = await temporaryFolder();
  expect(await connect(folder, ...args)).toEqual({ code: 2, stdout: '', stderr: `lintel: ${message}\n` });
});
