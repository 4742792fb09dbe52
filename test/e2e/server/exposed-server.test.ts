/** A gateway does not show the address that a server has in the cluster, but `exposure` and `diff` report which callers reach it. */
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { BundleIndex, ServerIndexEntry } from '#schemas';
import { runLintel } from '../../support/lintel.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { startSdkServer } from '../../support/sdk-server.ts';

const specs = (policy: string, transport = 'streamable-http') => `apiVersion: lintel.dev/v1beta1
kind: MCPOIDCConfig
metadata: { name: idp, namespace: mcp }
spec: { type: inline, inline: { issuer: "https://idp.example.com" } }
---
apiVersion: lintel.dev/v1beta1
kind: MCPServer
metadata: { name: tickets, namespace: mcp }
spec:
  image: ghcr.io/example/tickets:1
  transport: ${transport}
  oidcConfigRef: { name: idp, audience: tickets }
  authzConfig: { type: inline, inline: { policies: ['${policy}'] } }
`;

const STAFF = 'permit(principal in Group::"staff", action, resource);';
const ALL = 'permit(principal, action, resource);';

test('`lintel exposure` shows which callers an MCPServer admits and which tools its policies permit', async () => {
  await using folder = await temporaryFolder({ 'specs.yaml': specs(STAFF) });
  const { code, stdout } = await runLintel(['exposure', 'specs.yaml'], { cwd: folder.path });
  expect(code).toBe(0);
  expect(stdout).toContain('mcp/MCPServer/tickets');
  expect(stdout).toContain('callers with a token of https://idp.example.com for tickets');
});

test.each([
  ['a policy that permits more', specs(ALL), 'mcp/MCPServer/tickets: wider'],
  ['its authentication is removed', specs(STAFF).replace(/ {2}oidcConfigRef.*\n {2}authz.*\n/, ''), 'wider'],
  ['the MCPServer is removed', specs(STAFF).split('---')[0] ?? '', 'mcp/MCPServer/tickets'],
])('`lintel diff` shows a change of access to an MCPServer: %s', async (_, after, said) => {
  await using folder = await temporaryFolder({
    'before.yaml': `${specs(STAFF)}---\n${GATEWAY}`,
    'after.yaml': `${after}---\n${GATEWAY}`,
  });
  const { code, stdout } = await runLintel(['diff', 'before.yaml', 'after.yaml'], { cwd: folder.path });
  expect(stdout).toContain(said);
  expect(code).toBeGreaterThan(0);
});

test('`lintel diff` shows changes of the policies, the program and the arguments of a stdio MCPServer', async () => {
  const before = specs(STAFF, 'stdio').replace('  transport', '  command: tickets\n  transport');
  const changes = [
    [/ {2}authzConfig.*\n/, 'wider'],
    ['command: tickets', 'stdio'],
    ['{ name: tickets, namespace: mcp }\nspec:\n', 'stdio'],
  ] as const;
  for (const [from, said] of changes) {
    const to = typeof from === 'string' ? from.replace('command: tickets', 'command: other') : '';
    const after = before.replace(from, to === from ? `${from}  args: [--all]\n` : to);
    await using folder = await temporaryFolder({ 'before.yaml': before, 'after.yaml': after });
    const { code, stdout } = await runLintel(['diff', 'before.yaml', 'after.yaml'], { cwd: folder.path });
    expect(stdout).toContain('mcp/MCPServer/tickets: ');
    expect(stdout).toContain(said);
    expect(code).toBeGreaterThan(0);
  }
});

test('`lintel diff` skips an MCPServer whose spec has errors, and says that it is not compared', async () => {
  await using folder = await temporaryFolder({
    'before.yaml': specs(STAFF),
    'after.yaml': specs(STAFF, 'carrier-pigeon'),
  });
  const { code, stderr } = await runLintel(['diff', 'before.yaml', 'after.yaml'], { cwd: folder.path });
  expect(stderr).toContain('mcp/MCPServer/tickets is not compared');
  expect(code).toBe(3);
});

/** How `lintel diff` gets a state of the specs in a folder. */
const FORMS: { readonly [form: string]: (folder: TemporaryFolder, side: string) => Promise<string> } = {
  'a folder of specs': async (_, side) => side,
  'a build': async (folder, side) => {
    await built(folder, side);
    return `${side}/out`;
  },
  'the folder of a bundle': async (folder, side) => `${side}/out/${(await built(folder, side)).path}`,
  'a bundle': async (folder, side) => `${side}/out/${(await built(folder, side)).path}/bundle.json`,
  'a report of its exposure': async (folder, side) => {
    const report = `${side}.json`;
    await runLintel(['exposure', side, '--format', 'json', '--output', report], { cwd: folder.path });
    return report;
  },
};

async function built(folder: TemporaryFolder, side: string): Promise<ServerIndexEntry> {
  const { code } = await runLintel(['build', side, '--out', `${side}/out`], { cwd: folder.path });
  expect(code).toBe(0);
  const { servers, bundles } = JSON.parse(await readFile(folder.file(`${side}/out/index.json`), 'utf8')) as BundleIndex;
  // A runtime that serves from the folder picks only gateways.
  expect(bundles.map(({ name }) => name)).toEqual(['eng']);
  expect(servers).toMatchObject([{ kind: 'server', namespace: 'mcp', name: 'tickets' }]);
  return servers?.[0] ?? expect.fail();
}

const WHOLE = specs(STAFF).replace(
  '  authzConfig',
  '  audit: { enabled: true }\n  toolConfigRef: { name: few }\n  authzConfig',
);
const FEW = `---
apiVersion: lintel.dev/v1beta1
kind: MCPToolConfig
metadata: { name: few, namespace: mcp }
spec: { toolsFilter: [search] }
`;

describe.each(Object.entries(FORMS))('diff of %s shows what a server lost', (form, given) => {
  test.each([
    ['its policies', / {2}authzConfig.*\n/],
    ['its authentication and policies', / {2}oidcConfigRef.*\n| {2}authzConfig.*\n/g],
    ['its filter of tools', / {2}toolConfigRef.*\n/],
    ['its audit log', / {2}audit.*\n/],
  ])(`lintel diff of two sides, each given as ${form}, shows that an MCPServer lost %s`, async (_, field) => {
    await using folder = await temporaryFolder({
      'before/specs.yaml': `${WHOLE}${FEW}---\n${GATEWAY}`,
      'after/specs.yaml': `${WHOLE.replace(field, '')}${FEW}---\n${GATEWAY}`,
    });
    const [before, after] = [await given(folder, 'before'), await given(folder, 'after')];
    const { code, stdout, stderr } = await runLintel(['diff', before, after], { cwd: folder.path });
    expect(stderr).not.toContain('not compared:');
    expect(stdout).toContain('mcp/MCPServer/tickets: ');
    expect(stdout).not.toContain('mcp/MCPServer/tickets: no change');
    expect(code).toBeGreaterThan(0);
  });
});

test('`lintel build` keeps the previous index entry of an MCPServer whose spec now has an error', async () => {
  await using folder = await temporaryFolder({ 'a/specs.yaml': `${specs(STAFF)}---\n${GATEWAY}` });
  const before = await built(folder, 'a');
  await folder.write({ 'a/specs.yaml': `${specs('no policy')}---\n${GATEWAY}` });
  const { code } = await runLintel(['build', 'a', '--out', 'a/out'], { cwd: folder.path });
  expect(code).toBe(1);
  const { servers } = JSON.parse(await readFile(folder.file('a/out/index.json'), 'utf8')) as BundleIndex;
  expect(servers).toEqual([before]);
});

test('`lintel can` and `lintel matrix` answer for an MCPServer by its name, and `lintel find` refuses it', async () => {
  await using folder = await temporaryFolder({
    'specs/all.yaml': `${specs(STAFF)}---\n${GATEWAY}`,
    'callers/ann.json': JSON.stringify({
      iss: 'https://idp.example.com',
      aud: 'tickets',
      sub: 'ann',
      groups: ['staff'],
    }),
    'callers/bob.json': JSON.stringify({ iss: 'https://idp.example.com', aud: 'tickets', sub: 'bob' }),
  });
  const run = (...args: string[]) => runLintel(args, { cwd: folder.path });
  const image = await startSdkServer({ transport: 'streamable-http', tools: [{ name: 'search' }] });
  await run('lock', 'specs', '--url', `tickets=${image.url}`);
  await image.close();
  const asked = ['can', 'call', 'search', 'specs', '--gateway', 'mcp/MCPServer/tickets', '--as'];
  expect(await run(...asked, 'callers/ann.json')).toMatchObject({ code: 0 });
  const denied = await run(...asked, 'callers/bob.json', '--format', 'json');
  expect([denied.code, JSON.parse(denied.stdout)]).toMatchObject([1, { gateway: { name: 'MCPServer/tickets' } }]);
  const matrix = await run('matrix', 'specs', '--as', 'callers', '--format', 'json');
  expect(JSON.parse(matrix.stdout)).toMatchObject({
    gateways: [
      { name: 'eng' },
      {
        name: 'MCPServer/tickets',
        items: expect.arrayContaining([expect.objectContaining({ name: 'search', access: { ann: 'yes', bob: 'no' } })]),
      },
    ],
  });
  const found = await run('find', 'tickets', 'specs', '--gateway', 'MCPServer/tickets');
  expect([found.code, found.stderr]).toEqual([2, expect.stringContaining('has no optimizer')]);
  const served = await run('serve', 'specs', '--gateway', 'MCPServer/tickets');
  expect([served.code, served.stderr]).toEqual([2, expect.stringContaining('no gateway is named')]);
});

describe('lock', () => {
  test('`lintel lock` records the tools of an MCPRemoteProxy from its remoteUrl, and the tools of an MCPServer from the URL in --url', async () => {
    const remote = await startSdkServer({ transport: 'streamable-http', tools: [{ name: 'remote' }] });
    const image = await startSdkServer({ transport: 'streamable-http', tools: [{ name: 'search' }] });
    await using folder = await temporaryFolder({ 'specs/all.yaml': `${specs(STAFF)}---\n${PROXY}` });
    try {
      const first = await runLintel(['lock', 'specs'], { cwd: folder.path });
      expect([first.code, first.stderr]).toEqual([3, expect.stringContaining('it listens only inside its pod')]);
      const urls = ['--url', `tickets=${image.url}`, '--url', `far=${remote.url}`];
      const second = await runLintel(['lock', 'specs', ...urls], { cwd: folder.path });
      expect(second.stderr).not.toContain('not locked');
      expect(second.code).toBe(0);
      const lock = JSON.parse(await readFile(folder.file('lintel.lock.json'), 'utf8')) as {
        readonly backends: object;
      };
      expect(Object.keys(lock.backends)).toEqual(['mcp/MCPRemoteProxy/far', 'mcp/MCPServer/tickets/tickets']);
      const { stdout } = await runLintel(['exposure', 'specs', '--format', 'json'], { cwd: folder.path });
      expect(JSON.parse(stdout)).toMatchObject({
        gateways: [
          { name: 'MCPRemoteProxy/far', complete: true },
          { name: 'MCPServer/tickets', complete: true },
        ],
      });
    } finally {
      await Promise.all([remote.close(), image.close()]);
    }
  });

  test('`lintel lock` gives an MCPServer with policies in a group two keys: one as a member of the group and one as a gateway of its own', async () => {
    const member = specs(STAFF).replace('spec:\n  image', 'spec:\n  groupRef: { name: tools }\n  image');
    const plain = specs(STAFF)
      .replace(/ {2}oidcConfigRef.*\n {2}authz.*\n/, '  groupRef: { name: tools }\n')
      .replace('name: tickets', 'name: plain');
    await using folder = await temporaryFolder({ 'specs/all.yaml': [member, plain, GATEWAY].join('---\n') });
    const { stdout } = await runLintel(['lock', 'specs', '--timeout', '1s', '--format', 'json'], { cwd: folder.path });
    const { notLocked } = JSON.parse(stdout) as { readonly notLocked: readonly { readonly key: string }[] };
    expect(notLocked.map(({ key }) => key)).toEqual([
      'mcp/MCPServer/plain',
      'mcp/MCPServer/tickets',
      'mcp/MCPServer/tickets/tickets',
    ]);
  });
});

const PROXY = `apiVersion: lintel.dev/v1beta1
kind: MCPRemoteProxy
metadata: { name: far, namespace: mcp }
spec: { remoteUrl: "https://far.example.com/mcp" }
`;

const GATEWAY = `apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: tools, namespace: mcp }
spec: { description: Tools. }
---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng, namespace: mcp }
spec:
  groupRef: { name: tools }
  incomingAuth: { type: anonymous }
`;
