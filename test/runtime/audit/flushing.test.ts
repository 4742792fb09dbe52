/** When written records are flushed to the disk, as `LINTEL_AUDIT_FSYNC` says: the calls of `datasync` are counted, and take effect. */
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { backendPlan, eventually } from '../../support/gateway.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { startAudited, withEnvironment } from './audited-gateway.ts';

/** Longer than records wait to be written together. */
const BATCH_MS = 150;

async function countFlushes() {
  const handle = await open('/dev/null');
  const flushes = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'datasync');
  await handle.close();
  onTestFinished(() => flushes.mockRestore());
  return () => flushes.mock.calls.length;
}

/** Makes calls whose records are written one after the other. */
async function callsInTurn(fsync: string, calls: number) {
  withEnvironment({ LINTEL_AUDIT_FSYNC: fsync });
  const backend = await startSdkServer({ transport: 'streamable-http' });
  onTestFinished(() => backend.close());
  const log = await startAudited({ backends: [backendPlan('s', backend.url)] }, { eventTypes: ['mcp_tool_call'] });
  const client = await log.gateway.connect();
  const count = await countFlushes();
  const startedAt = performance.now();
  for (let call = 1; call <= calls; call++) {
    await client.callTool({ name: 's_echo', arguments: {} });
    await eventually(async () => (await log.gateway.status()).audit?.written === call);
    await sleep(BATCH_MS);
  }
  return { log, count, seconds: () => (performance.now() - startedAt) / 1_000 };
}

test('with LINTEL_AUDIT_FSYNC=never the audit log is not flushed, also when it is closed', async () => {
  const { log, count } = await callsInTurn('never', 2);
  await log.gateway.stop();
  expect(count()).toBe(0);
});

test('with LINTEL_AUDIT_FSYNC=always each written batch is flushed', async () => {
  const { count } = await callsInTurn('always', 3);
  expect(count()).toBe(3);
});

test('with LINTEL_AUDIT_FSYNC=second the audit log is flushed at most once a second, and when it is closed', async () => {
  const { log, count, seconds } = await callsInTurn('second', 12);
  await eventually(() => count() >= 2);
  expect(count()).toBeLessThanOrEqual(Math.floor(seconds()) + 1);
  const before = count();
  await log.gateway.stop();
  expect(count()).toBeGreaterThan(before);
});
