/** Several worker processes append to one audit log. */
import { readFile, rename, stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { backendPlan } from '../../support/gateway.ts';
import { eventually, temporaryFolder } from '../../support/process.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { startTree } from '../workers/worker-tree.ts';
import { AUDIT, recordsIn } from './audited-gateway.ts';

test('all workers write their audit records to one file, and to a new file after SIGHUP', async () => {
  await using folder = await temporaryFolder();
  const file = folder.file('audit.jsonl');
  const backend = await startSdkServer({ transport: 'streamable-http', tools: [{ name: 'read' }] });
  const audit = { ...AUDIT, file, eventTypes: ['mcp_tool_call'] };
  try {
    await using tree = await startTree({ backends: [backendPlan('s', backend.url)], audit }, 2);
    const client = await tree.connect();
    const call = async (times: number) => {
      for (let at = 0; at < times; at++) await client.callTool({ name: 's_read', arguments: {} });
    };
    const written = async (records: number) =>
      await eventually(async () => (await tree.status()).audit?.written === records);
    await call(20);
    await written(20);
    await rename(file, `${file}.1`);
    process.kill(tree.program.pid, 'SIGHUP');
    await eventually(() => stat(file).catch(() => undefined));
    await call(20);
    await written(40);
    const page = await (await fetch(`${tree.internalUrl}/metrics`)).text();
    expect(page).toMatch(/^lintel_audit_written_records_total\{[^}]*\} 40$/m);
    const texts = await Promise.all([readFile(`${file}.1`, 'utf8'), readFile(file, 'utf8')]);
    const records = texts.flatMap(recordsIn);
    expect(records).toHaveLength(40);
    expect(new Set(records.map(({ audit_id }) => audit_id)).size).toBe(40);
    await client.close();
  } finally {
    await backend.close();
  }
});
