/** `lintel connect` says what a person has to do if the running gateway demands a token. */
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { freeOwnPort } from '../../support/own-port.ts';
import { PROGRAM, start, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { startRawServer } from '../../support/raw-server.ts';
import { type Announcement, FREE_PORTS } from '../served.ts';
import { CLEAN, GROUP } from '../specs.ts';

function connect(folder: TemporaryFolder, ...args: readonly string[]) {
  return runLintel(['connect', ...args], {
    cwd: folder.path,
    env: { HOME: folder.path, XDG_CONFIG_HOME: folder.file('.config') },
  });
}

const ASKS = 'lintel: the gateway asks people to sign in: ';

test.each([
  ['claude', 'in Claude Code, /mcp signs you in to lintel'],
  ['claude-desktop', 'when Claude Desktop starts, mcp-remote opens the page in your browser'],
  ['cursor', 'Cursor offers the sign-in next to lintel in its settings'],
  ['vscode', 'VS Code opens the page when it starts lintel'],
  ['codex', '`codex mcp login lintel` opens the page'],
])('`lintel connect %s` says how people sign in to a gateway that names its issuer', async (client, how) => {
  const port = await freeOwnPort();
  const url = `http://127.0.0.1:${port}/mcp`;
  await using folder = await temporaryFolder({
    'specs/all.yaml': `${GROUP}---
apiVersion: lintel.dev/v1beta1
kind: MCPOIDCConfig
metadata: { name: corp }
spec: { type: inline, inline: { issuer: "https://id.example.com" } }
---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng }
spec:
  groupRef: { name: tools }
  incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: tools, resourceUrl: "${url}" } }
  config:
    backends: [{ name: absent, url: "http://127.0.0.1:9/mcp", transport: streamable-http }]
`,
  });
  const ports = ['--port', String(port), '--internal-address', '127.0.0.1:0'];
  await using gateway = start(PROGRAM.lintel, ['serve', 'specs', ...ports], { cwd: folder.path });
  await gateway.announcement<Announcement>();
  const printed = await connect(folder, client, '--url', url);
  expect([printed.code, printed.stderr]).toEqual([0, expect.stringContaining(`\n${ASKS}${how}\n`)]);
  expect(await connect(folder, client, '--url', url, '--write')).toMatchObject({ code: 0, stderr: `${ASKS}${how}\n` });
});

test('`lintel connect` asks for --token-env if the server does not say where clients get a token', async () => {
  const server = await startRawServer((_, response) => void response.writeHead(401).end());
  try {
    await using folder = await temporaryFolder();
    const url = `${server.origin}/mcp`;
    const demands = 'lintel: the gateway demands a token, and does not say where clients get it: ';
    const { stderr } = await connect(folder, 'cursor', '--url', url);
    expect(stderr).toContain(`${demands}give --token-env the name of a variable with a token\n`);
    const desktop = await connect(folder, 'claude-desktop', '--url', url);
    expect(desktop.stderr).toContain(`${demands}Claude Desktop cannot send a token from a variable\n`);
    const asked = server.requests.length;
    const given = await connect(folder, 'cursor', '--url', url, '--token-env', 'GATEWAY_TOKEN');
    expect(given.stderr).not.toContain(demands);
    expect(server.requests.length).toBe(asked);
  } finally {
    await server.close();
  }
});

test('`lintel connect` says nothing of a sign-in for a gateway that demands no token', async () => {
  await using folder = await temporaryFolder(CLEAN);
  await using gateway = start(PROGRAM.lintel, ['serve', '.', ...FREE_PORTS], { cwd: folder.path });
  const { url } = await gateway.announcement<Announcement>();
  const { code, stderr } = await connect(folder, 'claude', '--url', url);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('sign in')]);
});
