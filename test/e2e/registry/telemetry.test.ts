/** What a registry server exports to a collector, as a process with a built configuration. */
import { afterEach, describe, expect, test } from 'vitest';
import {
  GRPC_ADDRESS,
  type OtlpReceiver,
  type ReceiverOptions,
  startOtlpReceiver,
} from '../../support/otlp-receiver.ts';
import { freeOwnPort } from '../../support/own-port.ts';
import { eventually, PROGRAM, run } from '../../support/process.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../../support/tls-fixture.ts';
import { FREE_PORTS } from '../served.ts';
import {
  anonymousConfig,
  findPage,
  type RegistryServer,
  server,
  sourceFile,
  startRegistry,
} from './registry-server.ts';

const closing: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const ROUTE = '/registry/main/v0.1/servers';

const configOf = (telemetry: string) =>
  `${anonymousConfig('{ name: ours, file: { path: DIR/ours.json } }')}telemetry: { enabled: true, ${telemetry} }\n`;

async function receiverOf(options: ReceiverOptions): Promise<OtlpReceiver> {
  const receiver = await startOtlpReceiver(options);
  closing.push(() => receiver.close());
  return receiver;
}

async function registryWith(telemetry: string, env: Record<string, string> = {}): Promise<RegistryServer> {
  const files = {
    'registry.yaml': configOf(telemetry),
    'ours.json': sourceFile([server('com.example/one')]),
    'ca.pem': TEST_CERTIFICATE,
  };
  const registry = await startRegistry(files, ['--watch'], { OTEL_METRIC_EXPORT_INTERVAL: '50', ...env });
  closing.push(() => registry[Symbol.asyncDispose]());
  return registry;
}

const BOTH = 'tracing: { enabled: true, sampling: 1 }, metrics: { enabled: true }';

const hostOf = ({ endpoint }: OtlpReceiver) => new URL(endpoint).host;

describe.each([
  ['HTTP', 'http/protobuf', {}],
  ['gRPC', 'grpc', GRPC_ADDRESS],
] as const)('over %s', (_, protocol, address) => {
  test('a registry server sends traces and metrics with the headers and attributes of the OTEL_ variables', async () => {
    const receiver = await receiverOf({ protocol, ...address });
    const registry = await registryWith(`${BOTH}, endpoint: "${hostOf(receiver)}", insecure: true, serviceName: r`, {
      OTEL_EXPORTER_OTLP_HEADERS: 'x-scope-orgid=tools',
      OTEL_RESOURCE_ATTRIBUTES: 'team=search',
    });
    await fetch(`${registry.main}?search=secret`, { headers: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` } });
    expect((await fetch(`${registry.url}/nothing`)).status).toBe(404);
    await eventually(async () => receiver.metrics.some(({ name }) => name === 'http.server.request.duration'));
    await registry.program[Symbol.asyncDispose]();
    const [listed, missing] = receiver.spans;
    expect(listed).toMatchObject({
      name: `GET ${ROUTE}`,
      kind: 2,
      traceId: TRACE,
      parentSpanId: '00f067aa0ba902b7',
      status: 0,
      resource: { 'service.name': 'r', 'service.namespace': 'default', team: 'search' },
    });
    expect(listed?.attributes).toEqual({
      'http.request.method': 'GET',
      'http.route': ROUTE,
      'http.response.status_code': 200,
      'url.scheme': 'http',
      'url.path': ROUTE,
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(registry.url).port),
      'client.address': '127.0.0.1',
      'network.protocol.version': '1.1',
      'user_agent.original': 'node',
    });
    expect(missing).toMatchObject({ name: 'GET', attributes: { 'http.response.status_code': 404 }, status: 0 });
    expect(missing?.attributes).not.toHaveProperty('http.route');
    const durations = receiver.metrics.findLast(({ name }) => name === 'http.server.request.duration');
    expect(durations).toMatchObject({ unit: 's', type: 'histogram', resource: { 'service.name': 'r' } });
    expect(durations?.points.find(({ attributes }) => attributes['http.route'] === ROUTE)?.count).toBe(1);
    expect(receiver.metrics.find(({ name }) => name === 'lintel_registry_requests')).toMatchObject({ type: 'sum' });
    expect(receiver.headers.at(-1)).toMatchObject({ 'x-scope-orgid': 'tools' });
  });
});

test('a registry server trusts a collector by the CA file that OTEL_EXPORTER_OTLP_CERTIFICATE names', async () => {
  const receiver = await receiverOf({ protocol: 'http/protobuf', tls: { key: TEST_KEY, cert: TEST_CERTIFICATE } });
  const files = {
    'registry.yaml': configOf(`metrics: { enabled: true }, endpoint: "${hostOf(receiver)}"`),
    'ours.json': sourceFile([server('com.example/one')]),
  };
  const interval = { OTEL_METRIC_EXPORT_INTERVAL: '50' };
  const stranger = await startRegistry(files, [], interval);
  closing.push(() => stranger[Symbol.asyncDispose]());
  await stranger.folder.write({ 'ca.pem': TEST_CERTIFICATE });
  const failed = /lintel_telemetry_failed_items_total\{signal="metrics"[^}]*\} [1-9]/;
  await eventually(async () => failed.test(await (await fetch(`${stranger.internal}/metrics`)).text()));
  expect(receiver.metrics).toEqual([]);
  const variable = { OTEL_EXPORTER_OTLP_CERTIFICATE: stranger.folder.file('ca.pem') };
  const trusting = await startRegistry(files, [], { ...interval, ...variable });
  closing.push(() => trusting[Symbol.asyncDispose]());
  await eventually(async () => receiver.metrics.length > 0);
});

test('a registry server does not start if it cannot read the CA file for its collector', async () => {
  const { folder } = await registryWith(BOTH);
  const { code, stderr } = await run(PROGRAM.runtime, ['--bundle', folder.file('out'), ...FREE_PORTS], {
    env: { OTEL_EXPORTER_OTLP_CERTIFICATE: '/nowhere/ca.pem' },
  });
  expect([code, stderr]).toEqual([2, expect.stringMatching(/telemetry: .*\/nowhere\/ca\.pem/)]);
});

test('a registry server traces a random sample of requests, and all requests whose traceparent header says so', async () => {
  const receiver = await receiverOf({ protocol: 'http/protobuf' });
  const telemetry = `tracing: { enabled: true, sampling: 0.0000001 }, endpoint: "${receiver.endpoint}"`;
  const registry = await registryWith(telemetry);
  const ask = (flags: string) =>
    fetch(registry.main, { headers: { traceparent: `00-${TRACE}-00f067aa0ba902b7-${flags}` } });
  for (let request = 0; request < 20; request++) await findPage(registry.main);
  await ask('00');
  await ask('01');
  await registry.program[Symbol.asyncDispose]();
  expect(receiver.spans.map(({ traceId }) => traceId)).toEqual([TRACE]);
  expect(receiver.metrics).toEqual([]);
});

test('an unreachable collector fails no request of a registry server, and its metrics and log report the failure', async () => {
  const registry = await registryWith(`${BOTH}, endpoint: "localhost:${await freeOwnPort()}", insecure: true`);
  const page = async () => (await fetch(`${registry.internal}/metrics`)).text();
  for (let request = 0; request < 20; request++) await findPage(registry.main);
  await eventually(async () => /lintel_telemetry_failed_items_total\{signal="metrics"[^}]*\} [1-9]/.test(await page()));
  expect(await page()).toContain('target_info{service_name="lintel-registry-api"');
  await eventually(async () => registry.program.stderr.text.includes('the collector does not accept metrics'));
});

test('a registry server begins to send telemetry when a new bundle asks for it, and ends when a bundle does not', async () => {
  const receiver = await receiverOf({ protocol: 'http/protobuf' });
  const registry = await registryWith('metrics: { enabled: false }');
  const digestOf = async () => (await registry.status()).bundle.digest;
  const serve = async (telemetry: string) => {
    const before = await digestOf();
    const text = configOf(telemetry).replaceAll('DIR', registry.folder.path);
    await registry.folder.write({ 'registry.yaml': text });
    await registry.build();
    await eventually(async () => (await digestOf()) !== before);
  };
  await findPage(registry.main);
  await serve(`tracing: { enabled: true, sampling: 1 }, endpoint: "${receiver.endpoint}"`);
  await findPage(registry.main);
  await serve('metrics: { enabled: false }');
  await findPage(registry.main);
  await eventually(async () => receiver.spans.length > 0);
  await registry.program[Symbol.asyncDispose]();
  expect(receiver.spans.map(({ name }) => name)).toEqual([`GET ${ROUTE}`]);
});
