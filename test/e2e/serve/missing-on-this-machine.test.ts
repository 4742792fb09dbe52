/** Secrets and programs that are missing on this machine: reported once, by name, with the fix. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { PROGRAM, start, temporaryFolder } from '../../support/process.ts';
import { type Announcement, FREE_PORTS } from '../served.ts';

const CONFIG = {
  mcpServers: {
    docs: { url: 'http://127.0.0.1:9/mcp', headers: { Authorization: 'Bearer S3CRET-1a2b3c4d' } },
    peer: { command: 'node', args: ['peer.mjs'], env: { PEER_TOKEN: 'S3CRET-1a2b3c4d' } },
  },
};
const PEER = 'LINTEL_SECRET_ENV_PEER_TOKEN_PEER';
const DOCS = 'LINTEL_HEADER_AUTHORIZATION_DOCS';

async function imported() {
  const folder = await temporaryFolder({ 'mcp.json': JSON.stringify(CONFIG), 'peer.mjs': '' });
  expect(await runLintel(['import', 'mcp.json'], { cwd: folder.path })).toMatchObject({ code: 0 });
  return folder;
}

test.each(['serve', 'dev'])('`lintel %s` names all missing variables of headers and exits with code 2', async verb => {
  await using folder = await imported();
  const { code, stderr } = await runLintel([verb, ...FREE_PORTS], { cwd: folder.path });
  expect(code).toBe(2);
  expect(
    stderr,
  ).toContain(`lintel: secrets are missing: copy .env.example to .env, write them there, and start this with --dotenv .env
  ${DOCS} (header value of header_injection for backend "docs")
  ${PEER} (PEER_TOKEN of peer)
`);
  expect(stderr).not.toContain('/etc/lintel');
});

test.each(['serve', 'dev'])(
  '`lintel %s` without a variable of one stdio server serves the other servers',
  async verb => {
    await using folder = await imported();
    await folder.write({ '.env': `${DOCS}=x\n` });
    await using lintel = start(PROGRAM.lintel, [verb, '--dotenv', '.env', ...FREE_PORTS], { cwd: folder.path });
    await lintel.announcement<Announcement>();
    const said = lintel.stderr.text.split('\n').filter(line => line.startsWith('lintel: '));
    expect(said).toEqual([
      `lintel: a secret is missing: ${PEER} (PEER_TOKEN of peer); write it into .env, and start this with --dotenv .env`,
    ]);
    // The log does not mention a cluster: this machine has a variable instead of the file.
    const log = await lintel.stderr.next(/.*the server cannot be started.*\n/);
    expect(log).toContain(`the secret for PEER_TOKEN is missing: environment variable ${PEER} is not set`);
    expect(lintel.stderr.text).not.toContain('/etc/lintel');
    // The header's Secret is available; the other one is not.
    expect(lintel.stderr.text.match(/\[LNT2004\]/g)).toHaveLength(1);
    expect(lintel.stderr.text).toMatch(/LNT2004\] unverifiable-reference: Secret "peer[^"]*" is not in these sources/);
  },
);

test.each(['serve', 'dev'])(
  '`lintel %s` with all secrets in .env has no finding that Secrets cannot be verified',
  async verb => {
    await using folder = await imported();
    await folder.write({ '.env': `${DOCS}=x\n${PEER}=y\n` });
    await using lintel = start(PROGRAM.lintel, [verb, '--dotenv', '.env', ...FREE_PORTS], { cwd: folder.path });
    await lintel.announcement<Announcement>();
    expect(lintel.stderr.text).not.toContain('LNT2004');
  },
);

test('`lintel serve` advises --dotenv .env if .env has the missing variables', async () => {
  await using folder = await imported();
  await folder.write({ '.env': `${DOCS}=S3CRET-x\n${PEER}="S3CRET-y"\n` });
  const { code, stderr } = await runLintel(['serve', ...FREE_PORTS], { cwd: folder.path });
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('lintel: secrets are missing: .env has them, so start this with --dotenv .env\n'),
  ]);
  expect(stderr).not.toContain('S3CRET');
});

test.each(['serve', 'lock'])(
  '`lintel %s` names the file given with --dotenv if variables are missing in the file',
  async verb => {
    await using folder = await imported();
    await folder.write({ '.env': `${DOCS}=x\n${PEER}=y\n`, 'bad.env': '# nothing\n' });
    const ports = verb === 'serve' ? FREE_PORTS : [];
    const { stderr } = await runLintel([verb, '--dotenv', 'bad.env', ...ports], { cwd: folder.path });
    expect(stderr).toMatch(/: write them into bad\.env, and (?:start this|run this again) with --dotenv bad\.env\n/);
  },
);

test('`lintel dev` keeps serving the former bundle after a change that needs a missing secret', async () => {
  await using folder = await imported();
  await folder.write({ '.env': `${DOCS}=x\n${PEER}=x\n` });
  const args = ['dev', '--dotenv', '.env', ...FREE_PORTS];
  await using lintel = start(PROGRAM.lintel, args, { cwd: folder.path });
  const { digest, internal } = await lintel.announcement<Announcement>();
  const specs = await readFile(folder.file('specs/imported.yaml'), 'utf8');
  await folder.replace('specs/imported.yaml', specs.replace(`headerValueEnv: ${DOCS}`, 'headerValueEnv: LINTEL_OTHER'));
  await lintel.stderr.next(/lintel: a secret is missing: LINTEL_OTHER \(.*\n/);
  await lintel.stderr.next(/lintel: the served bundle is unchanged\n/);
  const status = (await (await fetch(`${internal}/status`)).json()) as { bundle: object };
  expect(status.bundle).toMatchObject({ digest, refused: null });
});

const ABSENT =
  'a program is missing: no-such-program (of absent); install it, put the folder on PATH, or correct command in the spec';

/** One server that can be started, and one whose program is missing on this machine. */
async function withAbsentProgram() {
  const mcpServers = { absent: { command: 'no-such-program' }, peer: { command: 'node', args: ['peer.mjs'] } };
  const folder = await temporaryFolder({ 'mcp.json': JSON.stringify({ mcpServers }), 'peer.mjs': '' });
  expect(await runLintel(['import', 'mcp.json'], { cwd: folder.path })).toMatchObject({ code: 0 });
  return folder;
}

test.each(['serve', 'dev'])(
  '`lintel %s` names a missing program of a stdio server and serves the other servers',
  async verb => {
    await using folder = await withAbsentProgram();
    await using lintel = start(PROGRAM.lintel, [verb, ...FREE_PORTS], { cwd: folder.path });
    await lintel.announcement<Announcement>();
    expect(lintel.stderr.text.split('\n').filter(line => line.startsWith('lintel: '))).toEqual([`lintel: ${ABSENT}`]);
  },
);

test('`lintel lock` names the stdio server whose program is missing', async () => {
  await using folder = await withAbsentProgram();
  const { code, stderr } = await runLintel(['lock', '--backend', 'absent'], { cwd: folder.path });
  expect(code).toBe(3);
  expect(stderr).toContain(`lintel: not locked: default/MCPServer/absent: ${ABSENT}\n`);
});
