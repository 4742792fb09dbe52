import { rm } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually } from '../../support/process.ts';
import { type DevSession, startDevSession } from './dev-session.ts';

/** A change of branch deletes folders and creates them again with the same names between two polls. */
test('`lintel dev` still watches a folder that was removed and created again', async () => {
  await using dev = await startDevSession();
  await write(dev, 'teams/a', 'echo, fail');
  await rm(dev.folder.file('gateway.yaml'));
  await dev.client.lists(['backend_echo', 'backend_fail'], 0);

  await rm(dev.folder.file('teams'), { recursive: true });
  await write(dev, 'teams/a', 'fail');
  await dev.client.lists(['backend_fail'], 0);

  await write(dev, 'teams/a', 'echo');
  await dev.client.lists(['backend_echo'], 0);
});

test('`lintel dev` keeps running while folders appear and disappear during a scan', async () => {
  await using dev = await startDevSession();
  for (let round = 0; round < 20; round++) {
    await dev.folder.write({ 'a/b/c/d/e/f/notes.txt': '' });
    // From just before to just after the poll that these changes trigger.
    await setTimeout(42 + round);
    await rm(dev.folder.file('a'), { recursive: true });
    await setTimeout(42 + round);
  }
  await rm(dev.folder.file('gateway.yaml'));
  await write(dev, '.', 'fail');
  await dev.client.lists(['backend_fail'], 0);
  expect(await eventually(() => dev.client.call('backend_fail'))).toBe('it failed');
});

function write(dev: DevSession, folder: string, filter: string): Promise<void> {
  return dev.folder.write({ [`${folder}/gateway.yml`]: dev.gateway(`{ workload: backend, filter: [${filter}] }`) });
}
