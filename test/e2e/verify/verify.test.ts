/** `lintel verify` with processes that serve bundles which `lintel build` wrote. */
import { cp, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { computeDigest, VERSION } from '#schemas';
import { runLintel } from '../../support/lintel.ts';
import { PROGRAM, type Program, ROOT, start, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { startRawServer } from '../../support/raw-server.ts';
import { ENTRY, GROUP, gateway } from '../specs.ts';

const ADDRESSES = ['--host', '127.0.0.1', '--port', '0', '--internal-address', '127.0.0.1:0'];

const TEAM = `${GROUP}---\n${ENTRY}---\n${gateway('team')}`;

async function build(folder: TemporaryFolder, ...args: string[]): Promise<void> {
  const { code, stderr } = await runLintel(['build', '--out', 'out', ...args], { cwd: folder.path });
  expect(code, stderr).toBe(0);
}

/** The path of the only bundle in the build. */
async function findBundle(folder: TemporaryFolder): Promise<string> {
  const index = JSON.parse(await readFile(folder.file('out/index.json'), 'utf8')) as { bundles: { path: string }[] };
  return folder.file(`out/${index.bundles[0]?.path}/bundle.json`);
}

async function serve(bundle: string, ...args: string[]): Promise<{ program: Program; internal: string }> {
  const program = start(PROGRAM.runtime, ['--bundle', bundle, ...ADDRESSES, ...args]);
  const { internal } = await program.announcement<{ internal: string }>();
  return { program, internal };
}

function verify(folder: TemporaryFolder, ...args: string[]) {
  return runLintel(['verify', ...args], { cwd: folder.path });
}

test('`lintel verify`, with the path of specs or of a build, confirms that the gateway serves the bundle built from the specs', async () => {
  await using folder = await temporaryFolder({ 'specs/team.yaml': TEAM });
  await build(folder, '--revision', '3f2a91c', 'specs');
  const { program, internal } = await serve(folder.file('out'));
  await using _ = program;
  const digest = computeDigest(await readFile(await findBundle(folder)));
  for (const path of ['specs', 'out']) {
    expect(await verify(folder, internal, path)).toEqual({
      code: 0,
      stdout: `gateway default/team at ${internal} serves the bundle of ${path}\n  running   ${digest}, revision 3f2a91c\n`,
      stderr: '',
    });
  }
  const { code, stdout } = await verify(folder, internal, 'specs', '--format', 'json');
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    {
      formatVersion: 1,
      url: `${internal}/status`,
      server: { kind: 'gateway', namespace: 'default', name: 'team' },
      result: 'same',
      reason: null,
      weakerOptions: [],
      running: {
        digest,
        sourceRevision: '3f2a91c',
        compilerVersion: VERSION,
        options: { allowedOrigins: [], denyPrivateBackends: false, privateBackends: [] },
        refused: null,
      },
      expected: { digest },
    },
  ]);
});

test.each<[options: string, args: readonly string[], code: number, sentence: string]>([
  [
    'without --deny-private-backends',
    [],
    1,
    'it was started without --deny-private-backends, and the project has denyPrivateBackends: true',
  ],
  [
    'with a further --private-backend',
    ['--deny-private-backends', '--private-backend', '10.0.0.5', '--private-backend', 'db.team.svc'],
    1,
    'it was started with --private-backend db.team.svc, which privateBackends of the project does not name',
  ],
  [
    'with --allowed-origin',
    ['--deny-private-backends', '--allowed-origin', 'https://chat.example.com'],
    0,
    'it was started with --allowed-origin https://chat.example.com: web pages of this origin may call it',
  ],
])(
  '`lintel verify` names the options that weaken the security of a gateway that was started %s',
  async (_, args, code, sentence) => {
    await using folder = await temporaryFolder({
      'specs/team.yaml': TEAM,
      'lintel.yaml': 'denyPrivateBackends: true\nprivateBackends: [10.0.0.5]\n',
    });
    await build(folder, 'specs');
    const { program, internal } = await serve(folder.file('out'), ...args);
    await using _program = program;
    const verified = await verify(folder, internal, 'specs');
    expect(verified.code).toBe(code);
    expect(verified.stdout).toContain(`\n  ${sentence}\n`);
    expect(verified.stdout).toContain(`serves the bundle of specs${code === 0 ? '' : ', with weaker options'}\n`);
    expect(verified.stdout).not.toContain('to see what differs');
  },
);

test('`lintel verify` exits with code 1 if the gateway serves another bundle than the one built from the specs', async () => {
  await using folder = await temporaryFolder({ 'specs/team.yaml': TEAM });
  await build(folder, '--revision', '3f2a91c', 'specs');
  const { program, internal } = await serve(folder.file('out'));
  await using _ = program;
  await folder.write({ 'specs/team.yaml': TEAM.replace('streamable-http', 'sse') });
  const changed = await verify(folder, internal, 'specs');
  expect(changed.code).toBe(1);
  expect(changed.stdout).toMatch(
    /^gateway default\/team at \S+ serves another bundle than that of specs\n {2}running {3}sha256:\w+, revision 3f2a91c\n {2}expected {2}sha256:\w+\n {2}to see what differs: git worktree add \.\.\/running 3f2a91c, then lintel diff \.\.\/running\/SPECS SPECS\n$/,
  );
  await build(folder, 'specs');
  expect((await verify(folder, internal, 'out')).code, 'a newer build').toBe(1);
  await folder.write({ 'specs/team.yaml': TEAM.replace('name: team', 'name: other') });
  expect(await verify(folder, internal, 'specs')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(
      'is not verified: the specs do not describe gateway default/team, but gateway default/other\n',
    ),
  });
});

test('`lintel verify` compares specs without a namespace as if they had the namespace of the running gateway', async () => {
  const inNamespace = (text: string) => text.replaceAll(/^metadata: \{/gm, 'metadata: { namespace: mcp,');
  await using folder = await temporaryFolder({ 'specs/team.yaml': TEAM, 'given/team.yaml': inNamespace(TEAM) });
  expect(await readFile(folder.file('given/team.yaml'), 'utf8')).toContain('namespace: mcp');
  await build(folder, 'given');
  const { program, internal } = await serve(folder.file('out'));
  await using _ = program;
  expect(await verify(folder, internal, 'specs')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^gateway mcp\/team at \S+ serves the bundle of specs\n/),
    stderr: '',
  });
  await folder.write({ 'specs/team.yaml': TEAM.replace('streamable-http', 'sse') });
  expect(await verify(folder, internal, 'specs')).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^gateway mcp\/team at \S+ serves another bundle than that of specs\n/),
  });
});

test('`lintel verify` refuses the output of `lintel build` when the bundle in it does not match the digest in its index', async () => {
  await using folder = await temporaryFolder({ 'specs/team.yaml': TEAM });
  await build(folder, 'specs');
  const { program, internal } = await serve(folder.file('out'));
  await using _ = program;
  const bundle = await findBundle(folder);
  await writeFile(bundle, (await readFile(bundle, 'utf8')).replace('github.example.com', 'other.example.com'));
  expect(await verify(folder, internal, 'out')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('and the index of the build says sha256:'),
  });
});

test('`lintel verify` with specs that have errors shows the errors and exits with code 3, since there is no bundle to compare with', async () => {
  await using folder = await temporaryFolder({ 'specs/team.yaml': TEAM });
  await build(folder, 'specs');
  const { program, internal } = await serve(folder.file('out'));
  await using _ = program;
  await folder.write({ 'specs/team.yaml': TEAM.replace('anonymous', 'anonimous') });
  const broken = await verify(folder, internal, 'specs');
  expect(broken).toMatchObject({
    code: 3,
    stdout: expect.stringContaining('cannot be verified: the specs have errors, so they give no bundle of gateway'),
    stderr: expect.stringContaining('anonimous'),
  });
});

test('`lintel verify` reports a gateway that refused a newer bundle, with the reason', async () => {
  await using folder = await temporaryFolder({ 'specs/team.yaml': TEAM });
  await build(folder, 'specs');
  const file = folder.file('served.json');
  await cp(await findBundle(folder), file);
  const { program, internal } = await serve(file, '--watch');
  await using _ = program;
  await folder.write({ 'newer.json': '{}' });
  await rename(folder.file('newer.json'), file);
  await expect
    .poll(async () => (await verify(folder, internal, 'specs')).stdout, { timeout: 60_000, interval: 500 })
    .toContain('  it refused a newer bundle: ');
  expect((await verify(folder, internal, 'specs')).code, 'it still serves that of the specs').toBe(0);
});

test('`lintel verify` confirms the gateway of an MCPServer that has the same name as a VirtualMCPServer', async () => {
  const server = `apiVersion: lintel.dev/v1beta1
kind: MCPServer
metadata: { name: team }
spec: { image: "registry.example.com/team:1", transport: streamable-http }
`;
  await using folder = await temporaryFolder({ 'specs/team.yaml': `${TEAM}---\n${server}` });
  await build(folder, 'specs');
  const { servers } = JSON.parse(await readFile(folder.file('out/index.json'), 'utf8')) as {
    readonly servers: readonly { readonly path: string }[];
  };
  const { program, internal } = await serve(folder.file(`out/${servers[0]?.path}/bundle.json`));
  await using _ = program;
  for (const path of ['specs', 'out']) expect((await verify(folder, internal, path)).code, path).toBe(0);
  await folder.write({ 'specs/team.yaml': `${TEAM}---\n${server.replace('team:1', 'team:2')}` });
  expect((await verify(folder, internal, 'specs')).code, 'another image').toBe(1);
});

test('`lintel verify` confirms that a registry server serves the entries in the specs', async () => {
  await using folder = await temporaryFolder();
  await cp(join(ROOT, 'examples/registry-local'), folder.file('specs'), { recursive: true });
  await build(folder, 'specs');
  const { program, internal } = await serve(folder.file('out'));
  await using _ = program;
  expect(await verify(folder, internal, 'specs')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('registry server default/local at '),
  });
  const entries = await readFile(folder.file('specs/servers.json'), 'utf8');
  await folder.write({ 'specs/servers.json': entries.replace(/"description": "/, '"description": "Another ') });
  expect((await verify(folder, internal, 'specs')).code, 'another entry').toBe(1);
});

test('when another version of Lintel built the running bundle, `lintel verify` compares it only with a build, and not with specs', async () => {
  await using folder = await temporaryFolder({ 'specs/team.yaml': TEAM });
  await build(folder, 'specs');
  const status = (digest: string) =>
    JSON.stringify({
      gateway: { namespace: 'default', name: 'team' },
      bundle: { digest, sourceRevision: null, compilerVersion: '0.0.9\u001b[2J', refused: null },
    });
  const server = await startRawServer((_, res) => {
    res.setHeader('content-type', 'application/json').end(status('sha256:0'));
  });
  onTestFinished(() => server.close());
  const old = await verify(folder, server.origin, 'specs');
  expect(old.code).toBe(3);
  expect(old.stdout).toContain('version 0.0.9\\u001b[2J of Lintel built what runs');
  expect((await verify(folder, server.origin, 'out')).code).toBe(1);
});

test.each<[name: string, code: number, args: readonly string[], message: string]>([
  ['no process listens', 3, ['http://127.0.0.1:9', 'specs'], 'http://127.0.0.1:9/status cannot be read: '],
  ['the URL is invalid', 2, ['ftp://127.0.0.1', 'specs'], 'is no URL of a gateway'],
  [
    'a path is in the place of the URL',
    2,
    ['specs'],
    '"specs" is a path: give the internal address of the gateway first',
  ],
  ['the URL is missing', 2, [], "missing required argument 'url'"],
])('when %s, `lintel verify` exits with code %i', async (_, code, args, message) => {
  await using folder = await temporaryFolder({ 'specs/team.yaml': TEAM });
  const ended = await verify(folder, ...args);
  expect([ended.code, ended.stdout]).toEqual([code, '']);
  expect(ended.stderr).toContain(message);
});

test('`lintel verify --format json` prints a JSON document even when it cannot read the status of the gateway', async () => {
  await using folder = await temporaryFolder({ 'specs/team.yaml': TEAM });
  const { code, stdout, stderr } = await verify(folder, 'http://127.0.0.1:9', 'specs', '--format', 'json');
  const reason = expect.stringMatching(/^http:\/\/127\.0\.0\.1:9\/status cannot be read: /);
  expect([code, JSON.parse(stdout)]).toEqual([
    3,
    {
      ...{ formatVersion: 1, url: 'http://127.0.0.1:9/status', server: null },
      ...{ result: 'unknown', reason, weakerOptions: [], running: null, expected: null },
    },
  ]);
  expect(stderr).toMatch(/^lintel: http/);
});
