/** How audit records are written to disk: rotation, full disks, back pressure, the hash chain. With real files, and Linux's /dev/full. */
import { readFile, rename, stat, symlink } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readLogLines, verifyChain } from '../../../compiler/audit-log/index.ts';
import { BundleError } from '../../../runtime/index.ts';
import { AuditSettingError } from '../../../runtime/observe/audit/settings.ts';
import { type BundleOptions, backendPlan, eventually } from '../../support/gateway.ts';
import { listeningLog } from '../../support/log-lines.ts';
import { temporaryFolder } from '../../support/process.ts';
import { readPrometheus } from '../../support/prometheus.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { type AuditedGateway, recordsIn, startAudited, withEnvironment } from './audited-gateway.ts';

let backend: SdkServer;
let options: BundleOptions;
beforeAll(async () => {
  backend = await startSdkServer({ transport: 'streamable-http', tools: [{ name: 'read' }] });
  options = { backends: [backendPlan('s', backend.url)] };
});
afterAll(() => backend.close());

const auditOf = async ({ gateway }: AuditedGateway) => (await gateway.status()).audit;

async function folderForTest() {
  const folder = await temporaryFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return folder;
}

describe('rotation of the audit log', () => {
  test.each(['false', 'true'])(
    'rotation of the audit log under load loses and duplicates no record (with a hash chain: %s)',
    async chain => {
      withEnvironment({ LINTEL_AUDIT_CHAIN: chain, LINTEL_AUDIT_FSYNC: 'second' });
      const log = await startAudited(options, { eventTypes: ['mcp_tool_call'] });
      const clients = await Promise.all([1, 2, 3, 4].map(() => log.gateway.connect()));
      const files: string[] = [];
      let isDone = false;
      let calls = 0;
      const load = clients.map(async client => {
        while (!isDone) {
          await client.callTool({ name: 's_read', arguments: {} });
          calls++;
        }
      });
      for (let turn = 1; turn <= 5; turn++) {
        const written = (await auditOf(log))?.written ?? 0;
        await eventually(async () => ((await auditOf(log))?.written ?? 0) > written + 20);
        files.push(`${log.file}.${turn}`);
        await log.rotate(`${log.file}.${turn}`);
        await eventually(() => stat(log.file).catch(() => undefined));
      }
      isDone = true;
      await Promise.all(load);
      await eventually(async () => (await auditOf(log))?.written === calls);
      files.push(log.file);
      const records = (await Promise.all(files.map(file => readFile(file, 'utf8')))).flatMap(recordsIn);
      expect(records).toHaveLength(calls);
      expect(new Set(records.map(({ audit_id }) => audit_id)).size).toBe(calls);
      expect(await auditOf(log)).toMatchObject({ file: log.file, dropped: 0, lastError: null });
      if (chain === 'false') return;
      const { problems, records: chained, head } = await verifyChain(readLogLines(files));
      expect([problems, chained]).toEqual([[], calls]);
      expect((await auditOf(log))?.chainHead).toEqual(head);
    },
  );

  test('after SIGHUP the audit log goes on writing to the renamed file while it cannot open a new file', async () => {
    const { log: logger, lines } = listeningLog();
    const log = await startAudited(options, { eventTypes: ['mcp_tool_call'] }, logger);
    const client = await log.gateway.connect();
    await client.callTool({ name: 's_read', arguments: {} });
    await log.recordOf('mcp_tool_call');
    const moved = `${log.file}.1`;
    await rename(log.file, moved);
    await symlink(`${moved}/nothing`, log.file);
    process.emit('SIGHUP');
    await eventually(() => lines.some(({ msg }) => msg.startsWith('the audit log cannot be opened again')));
    await client.callTool({ name: 's_read', arguments: {} });
    await eventually(async () => recordsIn(await readFile(moved, 'utf8')).length === 2);
  });
});

test('only the owner may read a new audit log file', async () => {
  const log = await startAudited(options);
  expect((await stat(log.file)).mode & 0o777).toBe(0o600);
});

test('the hash chain of an audit log continues over a restart of the gateway, even after an incomplete last line', async () => {
  withEnvironment({ LINTEL_AUDIT_CHAIN: 'true' });
  const folder = await folderForTest();
  const file = folder.file('audit.jsonl');
  const call = async () => {
    const { gateway } = await startAudited(options, { file, eventTypes: ['mcp_tool_call'] });
    const client = await gateway.connect();
    await client.callTool({ name: 's_read', arguments: {} });
    await eventually(async () => (await gateway.status()).audit?.written === 1);
    await gateway.stop();
  };
  await call();
  await folder.write({ 'audit.jsonl': `${await readFile(file, 'utf8')}{"level":"AUDIT","ms` });
  await call();
  expect(await verifyChain(readLogLines([file]))).toMatchObject({ problems: [], records: 2, torn: 1 });
});

describe('a full disk', () => {
  /** A few of these fill the queue. */
  const LONG = 'x'.repeat(1_500_000);
  const PLAN = { eventTypes: ['mcp_tool_call'], includeRequestData: true, maxDataBytes: 2_000_000 };

  async function onFullDisk(whenFull: 'drop' | 'block') {
    withEnvironment({ LINTEL_AUDIT_WHEN_FULL: whenFull });
    const folder = await folderForTest();
    const file = folder.file('audit.jsonl');
    await symlink('/dev/full', file);
    const { log: logger, lines } = listeningLog();
    const log = await startAudited(options, { ...PLAN, file }, logger);
    const client = await log.gateway.connect();
    const call = () => client.callTool({ name: 's_read', arguments: { LONG } });
    const roomAgain = async () => {
      await rename(file, folder.file('full'));
      process.emit('SIGHUP');
      await eventually(async () => (await auditOf(log))?.waiting === 0);
      return recordsIn(await readFile(file, 'utf8'));
    };
    return { log, call, roomAgain, lines, file };
  }

  test('on a full disk, the audit log loses and counts records and fails no call, with LINTEL_AUDIT_WHEN_FULL=drop', async () => {
    const { log, call, roomAgain, lines, file } = await onFullDisk('drop');
    for (let calls = 0; calls < 6; calls++) await call();
    await eventually(async () => ((await auditOf(log))?.dropped ?? 0) > 0);
    const { written, lastError, waiting } = (await auditOf(log)) ?? {};
    const page = readPrometheus(await (await fetch(`${log.gateway.internalUrl}/metrics`)).text());
    const counted = (name: string) => page.get(`lintel_audit_${name}_total`)?.samples[0]?.value;
    expect([counted('written_records'), counted('dropped_records')]).toEqual([0, expect.toSatisfy(n => n > 0)]);
    expect(counted('write_errors')).toBeGreaterThan(0);
    expect([written, lastError]).toEqual([0, expect.stringContaining('ENOSPC')]);
    expect(waiting).toBeLessThan(4 * 1024 * 1024);
    const warnings = lines.filter(({ msg }) => msg === 'audit records cannot be written; trying again');
    expect(
      warnings.map(({ level, file }) => [level, file]),
      'once for each cause',
    ).toEqual([['error', file]]);
    const records = await roomAgain();
    await eventually(async () => {
      const now = await auditOf(log);
      return now?.written === records.length && now.dropped === 6 - records.length && now.lastError === null;
    });
  });

  test('on a full disk, the audit log makes requests wait and loses no record, with LINTEL_AUDIT_WHEN_FULL=block', async () => {
    const { log, call, roomAgain } = await onFullDisk('block');
    let answered = 0;
    const calls = [1, 2, 3, 4, 5, 6].map(() => call().then(() => answered++));
    await eventually(async () => ((await auditOf(log))?.waiting ?? 0) >= 4 * 1024 * 1024);
    // Later bytes wait before they are read.
    let isLate = false;
    const late = call().then(() => {
      isLate = true;
    });
    await expect(Promise.race([late, fetch(`${log.gateway.internalUrl}/health`)])).resolves.toMatchObject({ ok: true });
    expect(isLate).toBe(false);
    await roomAgain();
    await Promise.all([...calls, late]);
    expect(answered).toBe(6);
    await eventually(async () => (await auditOf(log))?.written === 7);
    expect(await auditOf(log)).toMatchObject({ written: 7, dropped: 0 });
  });
});

test.each([
  ['in a folder that does not exist', (folder: string) => `${folder}/nothing/audit.jsonl`, 'ENOENT'],
  ['a folder', (folder: string) => folder, 'EISDIR'],
])('the gateway does not start when its audit log file is %s', async (_, fileIn, reason) => {
  const folder = await folderForTest();
  const failed = startAudited(options, { file: fileIn(folder.path) });
  await expect(failed).rejects.toThrow(BundleError);
  await expect(failed).rejects.toThrow(new RegExp(`the audit log cannot be written: ${reason}`));
});

test('the gateway refuses a new bundle whose audit log file cannot be written, and goes on serving the present bundle', async () => {
  const log = await startAudited(options);
  await log.gateway.replace({ ...options, audit: { ...planOf(log), file: `${log.file}/audit.jsonl` } });
  await eventually(async () => (await log.gateway.status()).bundle.refused !== null);
  expect((await log.gateway.status()).bundle.refused).toContain('the audit log cannot be written: ENOTDIR');
  expect((await auditOf(log))?.file).toBe(log.file);
});

function planOf({ file }: AuditedGateway) {
  return {
    component: 'test',
    eventTypes: [],
    excludeEventTypes: [],
    includeRequestData: false,
    includeResponseData: false,
    detectApplicationErrors: true,
    maxDataBytes: 1024,
    maxDelegationDepth: 10,
    file,
  };
}

test.each([
  [{ LINTEL_AUDIT_WHEN_FULL: 'wait' }, 'LINTEL_AUDIT_WHEN_FULL: expected drop, block, found "wait"'],
  [{ LINTEL_AUDIT_FSYNC: '1s' }, 'LINTEL_AUDIT_FSYNC: expected never, second, always, found "1s"'],
  [{ LINTEL_AUDIT_CHAIN: 'yes' }, 'LINTEL_AUDIT_CHAIN: expected false, true, found "yes"'],
])('the gateway does not start with the invalid audit setting %o', async (variables, message) => {
  withEnvironment(variables);
  const failed = startAudited(options);
  await expect(failed).rejects.toThrow(AuditSettingError);
  await expect(failed).rejects.toThrow(message);
});

test('a new bundle changes which events the audit log records, and after a bundle without an audit plan the gateway records none', async () => {
  const log = await startAudited(options, { eventTypes: ['mcp_ping'] });
  const client = await log.gateway.connect();
  await client.ping();
  await log.recordOf('mcp_ping');
  await log.replace({ excludeEventTypes: ['mcp_ping'], component: 'other' });
  await client.ping();
  await client.callTool({ name: 's_read', arguments: {} });
  expect(await log.recordOf('mcp_tool_call')).toMatchObject({ component: 'other' });
  expect((await log.records()).filter(({ type }) => type === 'mcp_ping')).toHaveLength(1);
  await log.replace(undefined);
  const before = await log.text();
  await client.callTool({ name: 's_read', arguments: {} });
  expect(await auditOf(log)).toBeUndefined();
  await log.gateway.stop();
  expect(await log.text()).toBe(before);
});

test('a gateway that stops first writes all audit records that it has not yet written to the file', async () => {
  const log = await startAudited(options, { eventTypes: ['mcp_tool_call'] });
  const client = await log.gateway.connect();
  await client.callTool({ name: 's_read', arguments: {} });
  await log.gateway.stop();
  expect((await log.records()).map(({ type }) => type)).toEqual(['mcp_tool_call']);
});
