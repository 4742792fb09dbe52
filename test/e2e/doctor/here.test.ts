/** `lintel doctor` in folders with specs, against real servers. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { freeOwnPort } from '../../support/own-port.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { startRawServer } from '../../support/raw-server.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';

let sdk: SdkServer;
let url: string;
beforeAll(async () => {
  sdk = await startSdkServer({ transport: 'streamable-http', tools: [{ name: 'find_notes' }] });
  url = `http://127.0.0.1:${await freeOwnPort()}/mcp`;
});
afterAll(() => sdk.close());

function lintel(folder: TemporaryFolder, ...args: readonly string[]) {
  return runLintel(args, { cwd: folder.path, env: { HOME: folder.file('home') } });
}

/** Runs `lintel doctor` in the folder. Returns the outcome and the detail of each check, by the subject of the check. */
async function checksIn(folder: TemporaryFolder, ...args: readonly string[]) {
  const { code, stdout, stderr } = await lintel(folder, 'doctor', '--url', url, '--format', 'json', ...args);
  expect(stderr).toBe('');
  const { works, checks } = JSON.parse(stdout) as {
    readonly works: boolean;
    readonly checks: readonly { check: string; outcome: string; seen: string; advice?: string }[];
  };
  expect(works).toBe(code === 0);
  return new Map(checks.map(({ check, outcome, seen, advice = '' }) => [check, [outcome, seen, advice]]));
}

test('`lintel doctor` prints a line for each check when everything works', async () => {
  await using folder = await temporaryFolder();
  expect(await lintel(folder, 'init', '--yes', '--server', sdk.url)).toMatchObject({ code: 0 });
  expect((await checksIn(folder)).get('tool lock')).toEqual([
    'warning',
    'there is no lintel.lock.json',
    '`npx lintel lock` writes down what they offer',
  ]);
  expect(await lintel(folder, 'lock')).toMatchObject({ code: 0 });
  expect(await lintel(folder, 'connect', 'claude', '--url', url, '--write')).toMatchObject({ code: 0 });
  const { code, stdout, stderr } = await lintel(folder, 'doctor', '--url', url);
  expect([code, stderr]).toEqual([0, '']);
  expect(
    stdout.replace(/\d+\.\d+\.\d+/g, 'N').replaceAll(new URL(url).port, 'PORT'),
  ).toBe(`  works    Node           lintel N on Node N
  works    folders        the current folder and the folder for temporary files can be written
  works    specs          2 objects in 1 file, without errors
  works    variables      no secret is missing on this machine
  works    programs       the programs of stdio servers are on PATH
  works    tool lock      lintel.lock.json has every backend, as it is today
  works    backend local  offers 10 tools
  works    port           PORT is free for \`lintel dev\`
  skipped  sign-in        no gateway runs at http://N.1:PORT/mcp
  works    clients        Claude Code has the gateway

Nothing is broken
`);
});

test('`lintel doctor` reports a missing program or a silent backend as broken, with what to do', async () => {
  const mcpServers = {
    away: { url: 'http://127.0.0.1:9/mcp' },
    docs: { url: sdk.url, headers: { Authorization: 'Bearer S3CRET-4711' } },
    tools: { command: 'no-such-program' },
  };
  await using folder = await temporaryFolder({ 'mcp.json': JSON.stringify({ mcpServers }), 'some.env': '' });
  expect(await lintel(folder, 'import', 'mcp.json')).toMatchObject({ code: 0 });
  const checks = await checksIn(folder, '--dotenv', 'some.env');
  const broken = [...checks].filter(([, [outcome]]) => outcome === 'broken').map(([check]) => check);
  expect(broken).toEqual(['variables', 'programs', 'backend away', 'backend docs']);
  expect(checks.get('variables')).toEqual([
    'broken',
    expect.stringContaining('LINTEL_HEADER_AUTHORIZATION_DOCS ('),
    'write it into some.env, and run this again with --dotenv some.env',
  ]);
  expect(checks.get('programs')?.[1]).toContain('no-such-program (of tools)');
  expect(checks.get('backend tools')).toEqual(['skipped', 'its program is missing', '']);
  expect(checks.get('backend away')?.[2]).toBe('start it, or correct its URL or command in the specs');
  expect(checks.get('clients')?.[2]).toBe('`npx lintel connect claude --write`, or another client in its place');
  expect((await checksIn(folder, '--offline')).get('backends')).toEqual(['skipped', 'not asked (--offline)', '']);
});

test('`lintel doctor` skips the checks that need specs if there are no specs or they have errors', async () => {
  await using folder = await temporaryFolder();
  const none = await checksIn(folder);
  expect(none.get('specs')?.[0]).toBe('broken');
  expect(none.get('backends')).toEqual(['skipped', 'there are no specs to look at', '']);
  await folder.write({
    'specs/a.yaml': 'apiVersion: lintel.dev/v1beta1\nkind: VirtualMCPServer\nmetadata: { name: a }\nspec: {}\n',
  });
  const wrong = await checksIn(folder, 'specs');
  expect(wrong.get('specs')).toEqual([
    'broken',
    expect.stringMatching(/^1 object in 1 file, with (?:an error|\d errors)$/),
    '`npx lintel check` shows them',
  ]);
  expect(wrong.get('tool lock')?.[0]).toBe('skipped');
});

test('`lintel doctor` shows the authentication of a running gateway, and reports another program on its port', async () => {
  await using folder = await temporaryFolder();
  const running = await checksIn(folder, '--url', sdk.url);
  expect(running.get('port')).toEqual(['works', `an MCP server answers at ${sdk.url}`, '']);
  expect(running.get('sign-in')).toEqual(['works', 'callers get in without a token', '']);
  const other = await startRawServer((_, response) => void response.writeHead(404).end());
  onTestFinished(() => other.close());
  const taken = await checksIn(folder, '--url', `${other.origin}/mcp`);
  expect(taken.get('port')).toEqual([
    'broken',
    `${new URL(other.origin).port} is taken by a program that is no MCP server`,
    'end it, or start the gateway with --port',
  ]);
});
