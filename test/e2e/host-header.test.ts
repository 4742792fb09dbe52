/** Every server of ours takes one sound Host (RFC 9112, section 3.2), and answers what has another with HTTP 400. */
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../controller/kube/index.ts';
import { ControllerMetrics, InternalServer } from '../../controller/observe/index.ts';
import { startReceiver } from '../../controller/webhook/index.ts';
import { startDoor } from '../runtime/registry-door/served-door.ts';
import { backendPlan, startGateway } from '../support/gateway.ts';

const REGISTRY = `sources: [{ name: ours, file: { path: /srv/ours.json } }]
registries: [{ name: open, sources: [ours] }]
auth: { mode: anonymous }
`;

/** Starts a server and gives its URL. */
type Start = () => Promise<string>;

const SERVERS: readonly (readonly [name: string, start: Start, target: string])[] = [
  ['a gateway', async () => (await gateway()).url, 'PUT /mcp'],
  ['a gateway over HTTP+SSE', async () => (await gateway()).url, 'GET /sse'],
  ['the internal address of a gateway', async () => (await gateway()).internalUrl, 'GET /health'],
  ['a registry server', async () => (await startDoor(REGISTRY)).origin, 'GET /registry/open/v0.1/servers'],
  ['the receiver of webhooks', receiver, 'POST /hook/a/b'],
  ['the pages of the controller', pages, 'GET /healthz'],
];

const ROWS: readonly (readonly [name: string, head: string, version: string])[] = [
  ['two Host headers', 'Host: localhost\r\nHost: localhost\r\n', '1.1'],
  ['two that differ', 'Host: localhost\r\nhost: other.example\r\n', '1.1'],
  ['two in HTTP/1.0', 'Host: localhost\r\nHost: localhost\r\n', '1.0'],
  ['none', '', '1.1'],
  ['an empty one', 'Host: \r\n', '1.1'],
  ['two in one', 'Host: localhost, other.example\r\n', '1.1'],
  ['a path in it', 'Host: localhost/x\r\n', '1.1'],
];

describe.each(SERVERS)('%s', (_, start, target) => {
  test.each(ROWS)('%s', async (_name, head, version) => {
    expect(await statusOf(await start(), `${target} HTTP/${version}\r\n${head}`)).toBe(400);
  });

  test('one is taken', async () => {
    expect(await statusOf(await start(), `${target} HTTP/1.1\r\nHost: localhost\r\n`)).not.toBe(400);
  });
});

async function gateway() {
  const started = await startGateway({ backends: [backendPlan('a', 'http://127.0.0.1:9/mcp')] });
  onTestFinished(() => started.stop());
  return started;
}

async function receiver(): Promise<string> {
  const started = await startReceiver({
    host: '127.0.0.1',
    port: 0,
    secret: async () => undefined,
    enqueue() {},
    clock: systemClock,
    refusalMs: 0,
    log() {},
  });
  onTestFinished(() => started.close());
  return `http://127.0.0.1:${started.address.port}`;
}

async function pages(): Promise<string> {
  const address = { host: '127.0.0.1', port: 0 };
  const server = await InternalServer.start({
    address,
    metrics: new ControllerMetrics(),
    missing: () => [],
    dashboard: () => '',
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server.url;
}

/** The status that a request without a body is answered with. */
function statusOf(url: string, head: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      socket.write(`${head}Content-Type: application/json\r\nContent-Length: 0\r\n\r\n`);
    });
    socket.setEncoding('latin1').once('data', text => {
      resolve(Number(/^HTTP\/1\.1 (\d{3}) /.exec(String(text))?.[1]));
      socket.destroy();
    });
    socket.once('error', reject);
  });
}
