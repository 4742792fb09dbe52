import { mkdir, readFile, stat, utimes } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/process.ts';
import { startRawServer } from '../../support/raw-server.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { CLEAN, GROUP } from '../specs.ts';
import { formatLockKey, gatewayOver, LOCK, lock, offering } from './peers.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(server => server.close()));
});

async function sdk(...args: Parameters<typeof startSdkServer>): Promise<SdkServer> {
  const server = await startSdkServer(...args);
  open.push(server);
  return server;
}

async function raw(tools: () => readonly unknown[]): Promise<string> {
  const server = await startRawServer(offering(tools));
  open.push(server);
  return `${server.origin}/mcp`;
}

const EDIT = { name: 'edit', description: 'Edit a page.', inputSchema: { type: 'object' as const } };

test('`lintel lock` records the tools, prompts and resources of backends over both transports, and --check reports changes', async () => {
  const web = await sdk({ transport: 'streamable-http', name: 'web', tools: [EDIT] });
  const old = await sdk({ transport: 'sse', name: 'old' });
  const backends = [
    { name: 'web', url: `${web.url}?key=query-secret` },
    { name: 'old', url: old.url, transport: 'sse' },
  ];
  await using folder = await temporaryFolder({ 'specs/all.yaml': gatewayOver(backends) });

  const first = await lock(folder, []);
  expect([first.code, first.stderr]).toEqual([0, `lintel: wrote ${LOCK}\n`]);
  expect(first.stdout).toContain(`+ ${formatLockKey('web')}: 10 tools, 1 prompt, 1 resource, 1 resource template\n`);
  const text = await readFile(folder.file(LOCK), 'utf8');
  const written = JSON.parse(text);
  expect(written.backends[formatLockKey('old')]).toMatchObject({
    url: old.url,
    transport: 'sse',
    server: { name: 'old', version: '1.0.0' },
  });
  expect(written.backends[formatLockKey('web')].tools.edit.definition).toEqual(EDIT);
  expect(text).toContain(`"url": "${web.url}"`);
  expect(text + first.stdout + first.stderr).not.toContain('query-secret');
  expect([web.openSessions, old.openSessions]).toEqual([0, 0]);

  const same = await lock(folder, ['--check']);
  expect(same).toEqual({ code: 0, stdout: '', stderr: `lintel: ${LOCK} is up to date\n` });

  await web.setTools([{ ...EDIT, description: 'Edit any page.', annotations: { destructiveHint: true } }]);
  const changed = await lock(folder, ['--check']);
  expect(changed).toEqual({
    code: 1,
    stdout: `~ ${formatLockKey('web')}
    ~ tool edit
        ~ annotations.destructiveHint: not said -> true
        ~ description: Edit [-a-] {+any+} page.
`,
    stderr: `lintel: ${LOCK} differs from what the backends offer: run \`lintel lock\`\n`,
  });
  expect(await readFile(folder.file(LOCK), 'utf8')).toBe(text);

  const json = await lock(folder, ['--format', 'json']);
  expect(json.code).toBe(0);
  expect(JSON.parse(json.stdout)).toMatchObject({
    file: LOCK,
    isCurrent: false,
    backends: [{ key: formatLockKey('web'), change: 'changed' }],
    notLocked: [],
    stale: [],
  });
  expect((await lock(folder, ['--check', '--format', 'markdown'])).stdout).toBe(
    '**Lintel, tool lock**: no difference\n',
  );
});

test('`lintel lock` writes the same bytes from any folder, at any time and for any order of tools', async () => {
  const tools = [{ name: 'b', x: { q: 1, p: 2 } }, { name: 'a' }];
  let reversed = false;
  const url = await raw(() => (reversed ? tools.toReversed() : tools));
  await using folder = await temporaryFolder({ 'specs/all.yaml': gatewayOver([{ name: 'web', url }]) });
  expect((await lock(folder, [])).code).toBe(0);
  const before = await readFile(folder.file(LOCK));
  await utimes(folder.file(LOCK), 1, 1);
  reversed = true;
  expect((await lock(folder, [])).stderr).toBe(`lintel: ${LOCK} is up to date\n`);
  expect((await stat(folder.file(LOCK))).mtimeMs).toBe(1_000);

  await using other = await temporaryFolder({ 'deep/down/specs/all.yaml': gatewayOver([{ name: 'web', url }]) });
  await mkdir(other.file('.git'));
  await other.write({ 'lintel.yaml': '' });
  const { path } = other;
  const inside = await lock({ path: `${path}/deep/down` } as typeof other, [], {
    TZ: 'Asia/Tokyo',
    LANG: 'tr_TR.UTF-8',
  });
  expect(inside.stderr).toBe(`lintel: wrote ../../${LOCK}\n`);
  expect(await readFile(other.file(LOCK))).toEqual(before);
});

test('`lintel lock` keeps the entry of a backend that does not answer', async () => {
  const web = await raw(() => [{ name: 'find' }]);
  const wiki = await startRawServer(offering(() => [{ name: 'read' }]));
  const spec = gatewayOver([
    { name: 'web', url: web },
    { name: 'wiki', url: `${wiki.origin}/mcp` },
  ]);
  await using folder = await temporaryFolder({ 'specs/all.yaml': spec });
  expect((await lock(folder, [])).code).toBe(0);
  const before = await readFile(folder.file(LOCK), 'utf8');
  await wiki.close();

  const reason = `lintel: not locked: ${formatLockKey('wiki')}: ${wiki.origin}/mcp: the connection failed (ECONNREFUSED)`;
  const stays = `${reason}; its entry stays as it was\n`;
  expect(await lock(folder, [])).toEqual({ code: 3, stdout: '', stderr: `${stays}lintel: ${LOCK} is unchanged\n` });
  expect(await readFile(folder.file(LOCK), 'utf8')).toBe(before);
  expect(await lock(folder, ['--backend', 'web'])).toMatchObject({ code: 0 });
  expect(await lock(folder, ['--out', 'other.json', '--backend', 'wiki'])).toEqual({
    code: 3,
    stdout: '',
    stderr: `${reason}\nlintel: no backend answered, so other.json is not written\n`,
  });
});

test('`lintel lock` gives up on a backend that never finishes its answer', async () => {
  const hanging = await startRawServer(() => {});
  open.push(hanging);
  await using folder = await temporaryFolder({
    'specs/all.yaml': gatewayOver([{ name: 'web', url: `${hanging.origin}/mcp` }]),
  });
  const { code, stderr } = await lock(folder, ['--timeout', '300ms']);
  const reason = `${hanging.origin}/mcp: did not finish within 0.3s`;
  expect([code, stderr.split('\n')[0]]).toEqual([3, `lintel: not locked: ${formatLockKey('web')}: ${reason}`]);
});

test('`lintel lock` removes entries of removed backends only with --prune, and only if the specs have no errors', async () => {
  const url = await raw(() => [{ name: 'find' }]);
  const both = gatewayOver([
    { name: 'web', url },
    { name: 'wiki', url },
  ]);
  await using folder = await temporaryFolder({ 'specs/all.yaml': both });
  expect((await lock(folder, [])).code).toBe(0);

  await folder.write({ 'specs/all.yaml': gatewayOver([{ name: 'web', url }]) });
  const kept = await lock(folder, ['--check']);
  expect(kept).toEqual({
    code: 0,
    stdout: '',
    stderr: `lintel: no backend of these sources: ${formatLockKey('wiki')}; --prune removes its entry\nlintel: ${LOCK} is up to date\n`,
  });

  await folder.write({ 'specs/broken.yaml': GROUP.replace('metadata', 'metadatum') });
  const broken = await lock(folder, ['--prune']);
  expect(broken.code).toBe(3);
  expect(broken.stderr).toContain('some sources have errors, so not every backend is known: see `lintel check`\n');
  expect(await readFile(folder.file(LOCK), 'utf8')).toContain(formatLockKey('wiki'));

  await folder.write({ 'specs/broken.yaml': GROUP.replace('tools', 'more') });
  const pruned = await lock(folder, ['--prune']);
  expect([pruned.code, pruned.stdout]).toEqual([0, `- ${formatLockKey('wiki')}\n`]);
  expect(await readFile(folder.file(LOCK), 'utf8')).not.toContain(formatLockKey('wiki'));
});

test('`lintel lock` records the backends of a gateway that cannot be built yet', async () => {
  const url = await raw(() => [{ name: 'find' }]);
  const spec = `${gatewayOver([{ name: 'web', url }])}    optimizer: {}\n    groupRef: nowhere\n`;
  await using folder = await temporaryFolder({ 'specs/all.yaml': spec });
  expect((await lock(folder, [])).stdout).toBe(
    `+ ${formatLockKey('web')}: 1 tool\n    + tool find (destructive by default)\n`,
  );
});

test('`lintel lock` reports tool definitions that no gateway would serve, and leaves them out of the tool lock', async () => {
  const deep = JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`);
  const url = await raw(() => [{ name: 'twice' }, { name: 'a', deep }, 7, {}, { name: 'twice' }, { name: 'good' }]);
  await using folder = await temporaryFolder({ 'specs/all.yaml': gatewayOver([{ name: 'web', url }]) });
  const { code, stdout, stderr } = await lock(folder, []);
  expect([code, stdout]).toEqual([
    0,
    `+ ${formatLockKey('web')}: 2 tools\n    + tool good (destructive by default)\n    + tool twice (destructive by default)\n`,
  ]);
  expect(stderr.split('\n').slice(0, 4)).toEqual([
    `lintel: ${formatLockKey('web')}: tool "a" is nested more than 90 levels deep`,
    `lintel: ${formatLockKey('web')}: tool #2 is no object`,
    `lintel: ${formatLockKey('web')}: tool #3 has no name`,
    `lintel: ${formatLockKey('web')}: tool "twice" is listed more than once: only the first is served`,
  ]);
});

test('`lintel lock` replaces an edited tool lock, and does not change a tool lock of a newer format than it reads', async () => {
  const url = await raw(() => [{ name: 'find', description: 'Find it.' }]);
  await using folder = await temporaryFolder({ 'specs/all.yaml': gatewayOver([{ name: 'web', url }]) });
  await lock(folder, []);
  const text = await readFile(folder.file(LOCK), 'utf8');
  await folder.write({ [LOCK]: text.replace('Find it.', 'Lose it.') });
  const checked = await lock(folder, ['--check']);
  expect([checked.code, checked.stderr.split('\n')[0]]).toEqual([
    1,
    `lintel: ${LOCK}:14:21: LNT1050: the definition of the tool "find" does not match its digest: it was edited`,
  ]);
  await lock(folder, []);
  expect(await readFile(folder.file(LOCK), 'utf8')).toBe(text);

  await folder.write({ [LOCK]: '{ "lockfileVersion": 2 }' });
  expect(await lock(folder, [])).toEqual({
    code: 2,
    stdout: '',
    stderr: `lintel: ${LOCK}: the tool lock has format 2; this version of Lintel reads format 1\n`,
  });
});

test('`lintel lock` does not overwrite a tool lock with merge conflicts', async () => {
  await using folder = await temporaryFolder({ 'specs/all.yaml': gatewayOver([]) });
  const conflict = '{\n<<<<<<< ours\n  "lockfileVersion": 1\n}\n';
  await folder.write({ [LOCK]: conflict });
  const { code, stdout, stderr } = await lock(folder, []);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(
    /^lintel: lintel\.lock\.json:2:1: .*; put that right, or take the file away to lock everything again\n$/,
  );
  expect(await readFile(folder.file(LOCK), 'utf8')).toBe(conflict);
});

test.each([
  [
    'a backend that does not exist',
    ['--backend', 'githob'],
    '--backend: no backend of the sources is named "githob"; did you mean "github"?',
  ],
  [
    'a token for a backend that does not exist',
    ['--token', 'jira=x'],
    '--token: no backend of the sources is named "jira"; there are: github',
  ],
  ['a token without a backend', ['--token', 'x'], '--token takes <backend>=<value>'],
  [
    'a URL without a scheme',
    ['--url', 'github=localhost:8080'],
    '--url: the value for default/MCPServerEntry/github is not an http or https URL: it does not begin with http:// or https://',
  ],
  [
    'a token in a variable that is not set',
    ['--token', 'github=env:NOPE'],
    '--token of default/MCPServerEntry/github: the environment variable NOPE is not set',
  ],
  [
    'a token file that does not exist',
    ['--token', 'github=file:nope'],
    '--token of default/MCPServerEntry/github: cannot read nope: it does not exist, or is a link to a file that does not exist',
  ],
])('`lintel lock` exits with code 2 for %s', async (_, args, message) => {
  await using folder = await temporaryFolder(
    Object.fromEntries(Object.entries(CLEAN).map(([name, text]) => [`specs/${name}`, text])),
  );
  const outcome = await lock(folder, args);
  expect(outcome).toEqual({ code: 2, stdout: '', stderr: `lintel: ${message}\n` });
});
