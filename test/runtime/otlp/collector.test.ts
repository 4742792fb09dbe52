/** How a collector is reached: headers, authorities, rotated secrets, outages; and what changes with another bundle. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { OtlpPlan } from '../../../schemas/index.ts';
import { backendPlan, startGateway, type TestGateway } from '../../support/gateway.ts';
import { listeningLog } from '../../support/log-lines.ts';
import { type OtlpReceiver, type ReceiverOptions, startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { freeOwnPort } from '../../support/own-port.ts';
import { eventually } from '../../support/process.ts';
import { readPrometheus } from '../../support/prometheus.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../../support/tls-fixture.ts';
import { telemetryPlan } from './plans.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  vi.unstubAllEnvs();
});

const TLS = { key: TEST_KEY, cert: TEST_CERTIFICATE };

async function receiverOf(options: ReceiverOptions): Promise<OtlpReceiver> {
  const receiver = await startOtlpReceiver(options);
  closing.push(() => receiver.close());
  return receiver;
}

/** A gateway that exports every 50 ms. */
async function gatewayTo(otlp: Partial<OtlpPlan> & Pick<OtlpPlan, 'endpoint'>, more: object = {}) {
  vi.stubEnv('OTEL_METRIC_EXPORT_INTERVAL', '50');
  const server = await startSdkServer({ transport: 'streamable-http', json: true });
  const { log, lines } = listeningLog();
  const options = { backends: [backendPlan('s', server.url)], telemetry: telemetryPlan(otlp, more) };
  const gateway = await startGateway(options, log);
  closing.push(
    () => server.close(),
    () => gateway.stop(),
  );
  await gateway.ready();
  return { gateway, lines, options };
}

async function itemsOf(
  { internalUrl }: TestGateway,
  outcome: 'exported' | 'failed',
  signal = 'metrics',
): Promise<number> {
  const page = readPrometheus(await (await fetch(`${internalUrl}/metrics`)).text());
  const { samples } = page.get(`lintel_telemetry_${outcome}_items_total`) ?? { samples: [] };
  return samples.find(({ labels }) => labels.signal === signal)?.value ?? Number.NaN;
}

describe.each(['http/protobuf', 'grpc'] as const)('over %s', protocol => {
  test('the OTLP collector gets the configured headers, and a header from a Secret with its current value', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lintel-otlp-'));
    closing.push(() => rm(folder, { recursive: true }));
    const file = join(folder, 'token');
    await writeFile(file, 'Bearer one\n');
    const receiver = await receiverOf({ protocol });
    await gatewayTo({
      endpoint: receiver.endpoint,
      protocol,
      headers: [
        { name: 'authorization', value: { type: 'secret', from: { env: null, file } } },
        { name: 'x-scope-orgid', value: { type: 'text', text: 'tools' } },
      ],
    });
    const got = (authorization: string) =>
      eventually(async () => receiver.headers.some(headers => headers.authorization === authorization));
    await got('Bearer one');
    expect(receiver.headers[0]).toMatchObject({ 'x-scope-orgid': 'tools' });
    await writeFile(file, 'Bearer two\n');
    await got('Bearer two');
  });

  test('the gateway trusts an OTLP collector whose certificate is from a private authority only with the configured CA', async () => {
    const receiver = await receiverOf({ protocol, tls: TLS });
    const { endpoint } = receiver;
    expect(endpoint).toMatch(/^https:/);
    const { gateway: stranger } = await gatewayTo({ endpoint, protocol });
    await eventually(async () => (await itemsOf(stranger, 'failed')) > 0);
    expect(receiver.metrics).toEqual([]);
    const { gateway } = await gatewayTo({ endpoint, protocol, caPem: TEST_CERTIFICATE });
    await eventually(async () => (await itemsOf(gateway, 'exported')) > 0);
    expect(receiver.metrics.length).toBeGreaterThan(0);
  });

  test('no call fails while the OTLP collector is down, refuses or hangs, and the collector gets metrics when it is back', async () => {
    const port = await freeOwnPort();
    const { gateway, lines } = await gatewayTo({ endpoint: `http://localhost:${port}`, protocol });
    const client = await gateway.connect();
    const call = async () => (await client.callTool({ name: 's_echo', arguments: {} })).isError ?? false;
    expect(await call()).toBe(false);
    if (protocol === 'http/protobuf') await eventually(async () => (await itemsOf(gateway, 'failed')) > 0);
    const receiver = await receiverOf({ protocol, port });
    receiver.behaviour = 'refuse';
    await eventually(async () => receiver.headers.length > 0);
    expect(await call()).toBe(false);
    await eventually(async () => (await itemsOf(gateway, 'failed')) > 0);
    receiver.behaviour = 'take';
    await eventually(async () => (await itemsOf(gateway, 'exported')) > 0);
    receiver.behaviour = 'hang';
    const calls = await Promise.all(Array.from({ length: 50 }, call));
    expect(calls.some(Boolean)).toBe(false);
    const outages = lines.filter(({ msg }) => String(msg).includes('does not accept metrics'));
    expect(outages).toHaveLength(1);
  });
});

test('the gateway reads the CA file of the OTLP collector for each export', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lintel-otlp-'));
  closing.push(() => rm(folder, { recursive: true }));
  const caFile = join(folder, 'ca.crt');
  await writeFile(caFile, TEST_CERTIFICATE);
  const { endpoint } = await receiverOf({ protocol: 'http/protobuf', tls: TLS });
  const { gateway } = await gatewayTo({ endpoint, caFile });
  await eventually(async () => (await itemsOf(gateway, 'exported')) > 0);
});

test.each([
  ['a secret', { headers: [{ name: 'a', value: { type: 'secret', from: { env: 'LINTEL_TEST_NONE', file: null } } }] }],
  ['a CA file', { caFile: '/nowhere/ca.crt' }],
] as const)('the gateway refuses a bundle whose telemetry needs %s that is missing', async (_, otlp) => {
  await expect(gatewayTo({ endpoint: 'http://localhost:1', ...otlp })).rejects.toThrow(/missing|cannot be used/);
});

describe('the metrics page', () => {
  const page = async (url: string) => (await fetch(url)).status;
  const OFF = { otlp: null } as const;

  test('the gateway serves the metrics page at the address for clients as long as the bundle sets metricsOnMainPort', async () => {
    const { gateway, options } = await gatewayTo(
      { endpoint: 'http://localhost:1' },
      { ...OFF, metricsOnMainPort: true },
    );
    const url = gateway.url.replace('/mcp', '/metrics');
    expect(await page(url)).toBe(200);
    expect(await (await fetch(url)).text()).toContain('target_info{service_name="gateway"');
    await gateway.replace({ ...options, telemetry: { ...options.telemetry, metricsOnMainPort: false } });
    await eventually(async () => (await page(url)) === 404);
    expect(await page(`${gateway.internalUrl}/metrics`), 'always').toBe(200);
  });

  test('the gateway serves the metrics page at a port of its own as long as the bundle sets this metricsPort', async () => {
    const [first, second] = [await freeOwnPort(), await freeOwnPort()];
    const at = (port: number) => page(`http://127.0.0.1:${port}/metrics`).catch(() => 0);
    const { gateway, options } = await gatewayTo({ endpoint: 'http://localhost:1' }, { ...OFF, metricsPort: first });
    expect([await at(first), await page(`http://127.0.0.1:${first}/status`)]).toEqual([200, 404]);
    await gateway.replace({ ...options, telemetry: { ...options.telemetry, metricsPort: second } });
    await eventually(async () => (await at(second)) === 200);
    await eventually(async () => (await at(first)) === 0);
  });

  test('the gateway refuses a bundle whose metrics port is in use, and keeps the served bundle', async () => {
    const { gateway, options } = await gatewayTo({ endpoint: 'http://localhost:1' }, OFF);
    const taken = Number(new URL(gateway.url).port);
    await gateway.replace({ ...options, telemetry: { ...options.telemetry, metricsPort: taken } });
    await eventually(async () => (await gateway.status()).bundle.refused !== null);
    expect((await gateway.status()).bundle.refused).toMatch(/telemetry: .*the address is in use/);
  });
});

test('the gateway begins to export traces when a new bundle configures telemetry, and stops when a new bundle does not', async () => {
  const receiver = await receiverOf({ protocol: 'http/protobuf' });
  const { endpoint } = receiver;
  const { gateway, options } = await gatewayTo({ endpoint: 'http://localhost:1' }, { otlp: null });
  const client = await gateway.connect();
  await client.callTool({ name: 's_echo', arguments: {} });
  await gateway.replace({ ...options, telemetry: telemetryPlan({ endpoint }) });
  await eventually(async () => !Number.isNaN(await itemsOf(gateway, 'exported', 'traces')));
  await client.callTool({ name: 's_echo', arguments: {} });
  await gateway.replace({ backends: options.backends });
  await eventually(async () => receiver.spans.length > 0);
  const names = receiver.spans.map(({ name }) => name).filter(name => !name.startsWith('aggregator.'));
  expect(names.sort()).toEqual(['tools/call echo', 'tools/call s_echo']);
  await eventually(async () => Number.isNaN(await itemsOf(gateway, 'exported', 'traces')));
});
