import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { eventually, isListening, PROGRAM, type Program, start, temporaryFolder } from '../../support/process.ts';
import { RawClient } from '../../support/raw-client.ts';
import { type HeldBackend, startHeldBackend } from '../held-backend.ts';
import { type Announcement, FREE_PORTS } from '../served.ts';
import { GROUP, inlineGateway } from '../specs.ts';

/** A gateway in the middle of a call; `use` interrupts it. */
async function duringCall(
  use: (running: { lintel: Program; backend: HeldBackend; call: Promise<string>; url: string }) => Promise<void>,
): Promise<void> {
  await using backend = await startHeldBackend();
  await using folder = await temporaryFolder({
    'group.yaml': GROUP,
    'gateway.yaml': inlineGateway('eng', backend.url),
  });
  await using lintel = start(PROGRAM.lintel, ['serve', folder.path, ...FREE_PORTS], { ownGroup: true });
  const { url } = await lintel.announcement<Announcement>();
  const client = new RawClient(url);
  await client.open();
  await client.result('tools/list');
  const call = client.request('tools/call', { name: 'backend_wait', arguments: {} }).then(
    ({ text }) => text,
    () => 'cut',
  );
  await backend.called();
  await use({ lintel, backend, call, url });
}

test('Ctrl-C ends `lintel serve` after the running call has finished', async () => {
  await duringCall(async ({ lintel, backend, call, url }) => {
    lintel.killGroup('SIGINT');
    await eventually(async () => !(await isListening(url)));
    backend.answer();
    expect(await call).toContain('at last');
    expect(await lintel.exitCode()).toBe(0);
  });
});

test('a second Ctrl-C ends `lintel serve` without waiting for the running call', async () => {
  await duringCall(async ({ lintel, call, url }) => {
    lintel.killGroup('SIGINT');
    await eventually(async () => !(await isListening(url)));
    lintel.killGroup('SIGINT');
    expect(await call).toBe('cut');
    expect(await lintel.exitCode()).toBe(0);
  });
});

test('`lintel serve` removes the temporary folder of its bundles when it ends', async () => {
  await using scratch = await temporaryFolder();
  await using folder = await temporaryFolder({
    'group.yaml': GROUP,
    'gateway.yaml': inlineGateway('eng', 'http://127.0.0.1:9/mcp'),
  });
  const env = { TMPDIR: scratch.path };
  await using lintel = start(PROGRAM.lintel, ['serve', folder.path, ...FREE_PORTS], { env });
  await lintel.announcement();
  expect(await readdir(scratch.path)).toHaveLength(1);
  lintel.kill('SIGTERM');
  expect(await lintel.exitCode()).toBe(0);
  expect(await readdir(scratch.path)).toEqual([]);
});
