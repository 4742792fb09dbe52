import { expect, test } from 'vitest';
import { eventually } from '../../support/process.ts';
import { GATEWAY_FILE, SAVES, startDevSession } from './dev-session.ts';

/** Successive edits: the backend's entry, and the tools that are shown after it. */
const EDITS: readonly (readonly [tool: string, shown: readonly string[]])[] = [
  ['{ workload: backend, filter: [echo, fail] }', ['backend_echo', 'backend_fail']],
  ['{ workload: backend, filter: [echo, say], overrides: { fail: { name: say } } }', ['backend_echo', 'backend_say']],
  ['{ workload: backend, filter: [fail] }', ['backend_fail']],
  ['{ workload: backend, filter: [echo] }', ['backend_echo']],
];

test.each(SAVES)(
  '`lintel dev` serves each edit of a file %s, and the MCP session of a client stays open',
  async (how, save) => {
    await using dev = await startDevSession();
    const times: number[] = [];
    for (const [tool, shown] of EDITS) {
      const heard = dev.client.toolChanges;
      const since = performance.now();
      await save(dev.folder.file(GATEWAY_FILE), dev.gateway(tool));
      times.push(await dev.client.lists(shown, since));
      await eventually(() => dev.client.toolChanges > heard);
    }
    expect(await dev.client.call('backend_echo')).toBe('{}');
    console.log(`${how}: live after ${times.map(time => `${Math.round(time)} ms`).join(', ')}`);
  },
);

test('`lintel dev` serves the last of several fast edits', async () => {
  await using dev = await startDevSession();
  const [, save] = SAVES[1] ?? SAVES[0] ?? [];
  const since = performance.now();
  for (let round = 0; round < 5; round++) {
    for (const [tool] of EDITS) await save?.(dev.folder.file(GATEWAY_FILE), dev.gateway(tool));
  }
  await save?.(dev.folder.file(GATEWAY_FILE), dev.gateway('{ workload: backend, filter: [slow] }'));
  await dev.client.lists(['backend_slow'], since);
});
