/** Audit records at a collector, as OTLP logs: the lines of the log, in a bounded buffer while the collector is unavailable. */
import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { readLogLines, verifyChain } from '../../../compiler/audit-log/index.ts';
import { AuditSettingError, readAuditWriting } from '../../../runtime/observe/audit/settings.ts';
import { RecordExport } from '../../../runtime/observe/otlp/record-export.ts';
import { backendPlan } from '../../support/gateway.ts';
import { listeningLog } from '../../support/log-lines.ts';
import {
  GRPC_ADDRESS,
  type OtlpReceiver,
  type ReceiverOptions,
  startOtlpReceiver,
} from '../../support/otlp-receiver.ts';
import { eventually, temporaryFolder } from '../../support/process.ts';
import { readPrometheus } from '../../support/prometheus.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { startAudited, withEnvironment } from './audited-gateway.ts';

const closing: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function receiverOf(options: ReceiverOptions): Promise<OtlpReceiver> {
  const receiver = await startOtlpReceiver(options);
  closing.push(() => receiver.close());
  return receiver;
}

async function backendOptions() {
  const backend = await startSdkServer({ transport: 'streamable-http', tools: [{ name: 'read' }] });
  closing.push(() => backend.close());
  return { backends: [backendPlan('s', backend.url)] };
}

describe.each([
  ['HTTP', 'http/protobuf', {}],
  ['gRPC', 'grpc', GRPC_ADDRESS],
] as const)('over %s', (_, protocol, address) => {
  test('the OTLP collector gets each audit record exactly as it is in the log file, with the hash chain', async () => {
    const receiver = await receiverOf({ protocol, ...address });
    withEnvironment({
      LINTEL_AUDIT_CHAIN: 'true',
      LINTEL_AUDIT_OTLP_ENDPOINT: receiver.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20one',
    });
    const log = await startAudited(await backendOptions(), { eventTypes: ['mcp_tool_call'] });
    const client = await log.gateway.connect();
    for (let call = 0; call < 3; call++) await client.callTool({ name: 's_read', arguments: {} });
    await eventually(() => receiver.logs.length === 3);
    const lines = (await readFile(log.file, 'utf8')).trimEnd().split('\n');
    expect(receiver.logs.map(({ body }) => body)).toEqual(lines);
    await using folder = await temporaryFolder();
    await folder.write({ 'copy.jsonl': `${receiver.logs.map(({ body }) => body).join('\n')}\n` });
    expect(await verifyChain(readLogLines([folder.file('copy.jsonl')]))).toMatchObject({ problems: [], records: 3 });
    const [first] = receiver.logs;
    expect(first).toMatchObject({
      severityText: 'AUDIT',
      eventName: 'audit_event',
      resource: { 'service.namespace': 'default', 'service.name': 'test' },
    });
    const { logged_at: loggedAt } = JSON.parse(first?.body ?? '') as { readonly logged_at: string };
    expect(Number((first?.time ?? 0n) / 1_000_000n)).toBe(Date.parse(loggedAt));
    expect(receiver.headers[0]).toMatchObject({ authorization: 'Bearer one' });
    const page = readPrometheus(await (await fetch(`${log.gateway.internalUrl}/metrics`)).text());
    expect(
      page.get('lintel_telemetry_exported_items_total')?.samples.find(({ labels }) => labels.signal === 'logs')?.value,
    ).toBe(3);
  });
});

test('while the collector hangs, the audit log drops and counts the records beyond its buffer, and the log file has all records', async () => {
  const receiver = await receiverOf({ protocol: 'http/protobuf' });
  receiver.behaviour = 'hang';
  const { endpoint } = receiver;
  const { log } = listeningLog();
  const server = { namespace: 'default', name: 'test' };
  const open = () => RecordExport.open({ protocol: 'http/protobuf', endpoint }, server, log, {});
  const many = await open();
  for (let record = 0; record < 10_000; record++) many.add('{}');
  expect(many.items).toMatchObject({ sent: 0, dropped: 10_000 - 8_192 - 512 });
  const large = await open();
  for (let record = 0; record < 6; record++) large.add(`{"a":"${'x'.repeat(1024 * 1024 - 8)}"}`);
  expect(large.items, 'four Mi characters').toMatchObject({ dropped: 2 });
  receiver.behaviour = 'take';
});

test('an unavailable OTLP collector fails no call and loses no record of the audit log file', async () => {
  withEnvironment({ LINTEL_AUDIT_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
  const log = await startAudited(await backendOptions(), { eventTypes: ['mcp_tool_call'] });
  const client = await log.gateway.connect();
  for (let call = 0; call < 3; call++) await client.callTool({ name: 's_read', arguments: {} });
  await eventually(async () => (await log.gateway.status()).audit?.written === 3);
});

describe('LINTEL_AUDIT_OTLP_ENDPOINT', () => {
  const collectorAt = (text: string) => readAuditWriting({ LINTEL_AUDIT_OTLP_ENDPOINT: text }).collector;

  test.each([
    ['', undefined],
    ['https://otel.example.com', { protocol: 'http/protobuf', endpoint: 'https://otel.example.com' }],
    ['http://otel:4318/otlp/', { protocol: 'http/protobuf', endpoint: 'http://otel:4318/otlp' }],
    ['http://otel:4317', { protocol: 'grpc', endpoint: 'http://otel:4317' }],
  ])(
    'the audit log finds the protocol of its OTLP collector in the value "%s" of LINTEL_AUDIT_OTLP_ENDPOINT',
    (text, collector) => {
      expect(collectorAt(text)).toEqual(collector);
    },
  );

  test.each(['otel:4318', 'ftp://otel', 'https://user:secret@otel', 'nothing'])(
    'the audit log refuses the value "%s" of LINTEL_AUDIT_OTLP_ENDPOINT, and its error shows no secret of the value',
    text => {
      expect(() => collectorAt(text)).toThrow(AuditSettingError);
      expect(() => collectorAt(text)).not.toThrow(/secret/);
    },
  );
});
