import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/process.ts';
import type { Announcement } from '../served.ts';
import { CLEAN, gateway, WITH_ERROR } from '../specs.ts';
import { startDev } from './dev-session.ts';

test('`lintel dev` waits for a correction of specs that are invalid from the start', async () => {
  await using folder = await temporaryFolder(WITH_ERROR);
  await using lintel = startDev(folder);
  await lintel.stderr.next(/error\[LNT1011\] not-in-enum: .*\n --> gateway\.yaml:7:48\n/);
  await lintel.stderr.next(/lintel: there are errors; waiting for a change\n/);
  expect(lintel.stdout.text).toBe('');
  await folder.write({ 'gateway.yaml': gateway('eng') });
  expect(await lintel.announcement<Announcement>()).toMatchObject({ event: 'listening', gateway: 'default/eng' });
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  '`lintel dev` that waits for a correction ends at %s with exit code 0',
  async signal => {
    await using folder = await temporaryFolder(WITH_ERROR);
    await using lintel = startDev(folder);
    await lintel.stderr.next(/waiting for a change\n/);
    lintel.kill(signal);
    expect(await lintel.exitCode()).toBe(0);
  },
);

test('`lintel dev` exits with code 2 when there are several gateways and none is chosen', async () => {
  await using folder = await temporaryFolder({ ...CLEAN, 'other.yaml': gateway('other') });
  await using lintel = startDev(folder);
  expect(await lintel.exitCode()).toBe(2);
  expect(lintel.stderr.text).toBe('lintel: several gateways: choose one with --gateway: default/eng, default/other\n');
});
