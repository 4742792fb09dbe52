/** `lintel dev` follows edits of lintel.yaml as it follows those of the sources. */
import { expect, test } from 'vitest';
import { PROGRAM, start, temporaryFolder } from '../../support/process.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { type Announcement, FREE_PORTS } from '../served.ts';
import { GROUP, inlineGateway } from '../specs.ts';
import { DevClient } from './dev-session.ts';

test('`lintel dev` reports a mistake in lintel.yaml and keeps serving, and serves the sources that a correction names', async () => {
  const backend = await startSdkServer({ transport: 'streamable-http' });
  const gateway = (filter: string) => inlineGateway('eng', backend.url, `{ workload: backend, filter: [${filter}] }`);
  await using folder = await temporaryFolder({
    'lintel.yaml': 'sources: [one]\n',
    'one/group.yaml': GROUP,
    'one/gateway.yaml': gateway('echo'),
    'two/group.yaml': GROUP,
    'two/gateway.yaml': gateway('fail'),
  });
  await using lintel = start(PROGRAM.lintel, ['dev', ...FREE_PORTS], { cwd: folder.path });
  await using client = await new DevClient().connect((await lintel.announcement<Announcement>()).url);
  await client.lists(['backend_echo'], 0);

  await folder.write({ 'lintel.yaml': 'sorces: [two]\n' });
  await lintel.stderr.next(/error\[LNT1003\] unknown-field: .*\n +--> lintel\.yaml:1:1\n/);
  await lintel.stderr.next(/lintel: nothing was checked: lintel\.yaml has 1 error; waiting for a change\n/);
  expect(await client.tools()).toEqual(['backend_echo']);

  await folder.write({ 'lintel.yaml': 'sources: [two]\n' });
  await client.lists(['backend_fail'], 0);
  await folder.write({ 'two/gateway.yaml': gateway('echo, fail') });
  await client.lists(['backend_echo', 'backend_fail'], 0);
  await backend.close();
});
