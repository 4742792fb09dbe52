/** Sessions and the audit chain of one gateway with several processes; each request of a client reaches the next of them. */
import { existsSync } from 'node:fs';
import { readFile, rename } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { CHAIN_START, parseChainPosition } from '#shared/plan';
import { backendPlan, eventually } from '../../support/gateway.ts';
import { temporaryFolder } from '../../support/process.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { AUDIT } from '../audit/audited-gateway.ts';
import { suiteOfSessions } from '../scale-out/session-suite.ts';
import { startWorkers } from '../scale-out/several.ts';
import { call, createWire, disposable } from '../scale-out/wire.ts';
import { oneConnection, startTree } from './worker-tree.ts';

const startBackend = () => disposable(startSdkServer({ transport: 'streamable-http' }));

const { openSession, post } = createWire(oneConnection);

describe('two workers', () => suiteOfSessions(startWorkers));

test('workers that are all killed at the same time come back at the same address with the same sessions', async () => {
  await using backend = await startBackend();
  await using tree = await startTree({ backends: [backendPlan('one', backend.peer.url)] });
  const session = await openSession(tree.url);
  const { workers } = await tree.status();
  for (const { pid } of workers) process.kill(pid, 'SIGKILL');
  const answered = await eventually(async () => {
    const answer = await post(tree.url, call(1, 'one_echo', { at: 1 }), session).catch(() => undefined);
    return answer?.status === 200 ? answer.text() : undefined;
  });
  expect(answered).toContain('{\\"at\\":1}');
});

test('a session that has ended is unknown to all workers', async () => {
  await using backend = await startBackend();
  await using tree = await startTree({ backends: [backendPlan('one', backend.peer.url)] });
  const session = await openSession(tree.url);
  for (let id = 0; id < 4; id++) expect((await post(tree.url, { id, method: 'ping' }, session)).status).toBe(200);
  const ended = await oneConnection(tree.url, { method: 'DELETE', headers: { 'mcp-session-id': session } });
  expect(ended.status).toBe(204);
  for (const id of [1, 2]) {
    await eventually(async () => (await post(tree.url, { id, method: 'ping' }, session)).status === 404);
  }
  expect((await tree.status()).sessions).toBe(0);
});

test('the requests of all workers are recorded in one audit chain, which continues in a new file after a rotation', async () => {
  await using backend = await startBackend();
  await using folder = await temporaryFolder();
  const [file, moved] = [folder.file('audit.jsonl'), folder.file('audit.1.jsonl')];
  const options = { backends: [backendPlan('one', backend.peer.url)], audit: { ...AUDIT, file } };
  const tree = await startTree(options, 2, { LINTEL_AUDIT_CHAIN: 'true' });
  const sessions = await Promise.all(Array.from({ length: 4 }, () => openSession(tree.url)));
  const callAll = (from: number) =>
    Promise.all(
      Array.from({ length: 40 }, async (_, at) =>
        (await post(tree.url, call(from + at, 'one_echo'), sessions[at % 4])).text(),
      ),
    );
  await callAll(0);
  await eventually(async () => ((await tree.status()).audit?.written ?? 0) >= 44);
  await rename(file, moved);
  tree.program.kill('SIGHUP');
  await eventually(() => existsSync(file));
  await callAll(100);
  expect((await tree.status()).audit?.dropped).toBe(0);
  tree.program.kill('SIGTERM');
  expect(await tree.program.exitCode()).toBe(0);
  await tree[Symbol.asyncDispose]();
  const lines = [...(await readFile(moved, 'utf8')).split('\n'), ...(await readFile(file, 'utf8')).split('\n')];
  expect(lines.filter(line => line.includes('"mcp_tool_call"'))).toHaveLength(80);
  let head = CHAIN_START;
  for (const line of lines.filter(text => text !== '')) {
    const place = parseChainPosition(line);
    expect(place, line).toMatchObject({ sequence: head.sequence + 1, previous: head.hash });
    head = place as typeof head;
  }
});
