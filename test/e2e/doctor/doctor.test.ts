/** `lintel doctor auth` as a process, against real servers. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startIssuingGateway } from '../../runtime/auth-server/issuing-gateway.ts';
import { oidcPlan, startOidcUpstream } from '../../runtime/auth-server/upstreams.ts';
import { startGateway } from '../../support/gateway.ts';
import { runLintel } from '../../support/lintel.ts';
import { freeOwnPort } from '../../support/own-port.ts';
import { ROOT, start } from '../../support/process.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../../support/tls-fixture.ts';

const opened: { close?(): Promise<void>; stop?(): Promise<void>; [Symbol.asyncDispose]?(): PromiseLike<void> }[] = [];
afterAll(async () => {
  for (const one of opened.reverse()) await (one.close?.() ?? one.stop?.() ?? one[Symbol.asyncDispose]?.());
});

const doctor = (...args: readonly string[]) => runLintel(['doctor', 'auth', ...args]);

async function ownGateway(issuerPath = '') {
  const port = await freeOwnPort();
  const upstream = await startOidcUpstream(`http://127.0.0.1:${port}/oauth/callback`);
  const gateway = await startIssuingGateway({ port, issuerPath, upstreams: at => [oidcPlan('company', upstream, at)] });
  opened.push(upstream, gateway);
  return gateway;
}

test.each(['', '/auth'])(
  '`lintel doctor auth` finds that all steps of a sign-in work at a gateway with its own authorization server at the path "%s"',
  async issuerPath => {
    const gateway = await ownGateway(issuerPath);
    const { code, stdout, stderr } = await doctor(gateway.url, '--register', '--format', 'json');
    expect([code, stderr], stdout).toEqual([0, '']);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ formatVersion: 1, url: gateway.url, works: true, firstBroken: null });
    expect(report.hops.map(({ outcome }: { outcome: string }) => outcome)).toEqual(Array(6).fill('works'));
  },
);

test('`lintel doctor auth` registers no client without --register', async () => {
  const gateway = await ownGateway();
  const { code, stdout } = await doctor(gateway.url);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ {2}works {4}registration +.*registration at .*\/oauth\/register$/m);
  expect(stdout).toMatch(/\nA client gets through to the page where a person signs in\n$/);
  expect(stdout).not.toContain('\u001b');
});

test('`lintel doctor auth` reports no steps of a sign-in for a gateway without authentication', async () => {
  const gateway = await startGateway({ backends: [] });
  opened.push(gateway);
  const { code, stdout } = await doctor(gateway.url);
  expect(code).toBe(0);
  expect(stdout).toContain('\nIt asks nobody to sign in: it answers a request without a token, ');
  expect(stdout).not.toMatch(/broken|breaks/);
});

test('`lintel doctor auth --register` finds that all steps work at the example server of the MCP SDK', async () => {
  const [port, authPort] = [await freeOwnPort(), await freeOwnPort()];
  const script = `${ROOT}/node_modules/@modelcontextprotocol/sdk/dist/esm/examples/server/simpleStreamableHttp.js`;
  const server = start(script, ['--oauth'], { env: { MCP_PORT: String(port), MCP_AUTH_PORT: String(authPort) } });
  opened.push(server);
  await server.stdout.next(/MCP Streamable HTTP Server listening.*\n/);
  const { code, stdout } = await doctor(`http://localhost:${port}/mcp`, '--register');
  expect(code, stdout).toBe(0);
  expect(stdout).toContain('a request with S256 is taken, one without is refused');
});

test('`lintel doctor auth` tells the operator to repair a server certificate that it does not trust, and not to check the URL', async () => {
  const server = createServer({ key: TEST_KEY, cert: TEST_CERTIFICATE });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { code, stdout } = await doctor(`https://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  expect(code).toBe(3);
  expect(stdout).toContain(
    'its certificate is not trusted: set NODE_EXTRA_CA_CERTS to a file with the certificate of its authority',
  );
  expect(stdout).toContain('fix: repair the certificate that the server sends, because clients refuse it too');
  expect(stdout).not.toContain('check the URL');
});

test.each<[what: string, args: readonly string[], code: number, words: string]>([
  ['no server listens at the URL', ['http://127.0.0.1:10/mcp'], 3, 'the connection was refused: nothing listens there'],
  [
    'the port of another protocol',
    ['http://127.0.0.1:6000/mcp'],
    3,
    'does not answer: port 6000 is reserved for another protocol, and no client connects to it by HTTP: give the server another port',
  ],
  [
    'an invalid URL',
    ['http://mcp.example.com:80800/mcp'],
    2,
    'this is not an http or https URL: its port is not a number from 1 to 65535; give the URL that clients are given',
  ],
  ['credentials in the URL', ['https://ann:hunter2@mcp.example.com/'], 2, 'the URL holds credentials'],
  ['a missing URL', [], 2, "missing required argument 'url'"],
  ['help', ['--help'], 0, 'registers nothing without --register'],
])('`lintel doctor auth` answers with the right exit code: %s', async (_, args, code, words) => {
  const outcome = await doctor(...args);
  expect(outcome.code).toBe(code);
  expect(outcome.stdout + outcome.stderr).toContain(words);
  expect(outcome.stdout + outcome.stderr).not.toContain('hunter2');
});
