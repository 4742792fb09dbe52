/** Of two gateways that `lintel dev` runs on one machine, only the first gets the fixed port for status and metrics. */
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { INTERNAL_PORT } from '#schemas';
import { PROGRAM, start, temporaryFolder } from '../../support/process.ts';
import type { Announcement } from '../served.ts';
import { CLEAN } from '../specs.ts';

test('`lintel dev` takes a free port if the default internal port is taken', async () => {
  const taken = createServer();
  onTestFinished(() => void taken.close());
  // Another program that uses the port has the same effect.
  await new Promise<void>(resolve => taken.once('error', () => resolve()).listen(INTERNAL_PORT, '127.0.0.1', resolve));
  await using folder = await temporaryFolder(CLEAN);
  await using dev = start(PROGRAM.lintel, ['dev', '.', '--port', '0'], { cwd: folder.path });
  const { internal } = await dev.announcement<Announcement>();
  expect(Number(new URL(internal).port)).not.toBe(INTERNAL_PORT);
  expect((await fetch(`${internal}/health`)).status).toBe(200);
});

test('two `lintel dev` that start at the same time get different internal ports', async () => {
  await using folder = await temporaryFolder(CLEAN);
  await using one = start(PROGRAM.lintel, ['dev', '.', '--port', '0'], { cwd: folder.path });
  await using other = start(PROGRAM.lintel, ['dev', '.', '--port', '0'], { cwd: folder.path });
  const [a, b] = await Promise.all([one.announcement<Announcement>(), other.announcement<Announcement>()]);
  expect(a.internal).not.toBe(b.internal);
});
