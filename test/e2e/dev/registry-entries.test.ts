/** `lintel dev` follows the files of registry entries that its sources name, including those outside its PATH arguments. */
import { expect, test } from 'vitest';
import { PROGRAM, start, temporaryFolder } from '../../support/process.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { type Announcement, FREE_PORTS } from '../served.ts';
import { GROUP, inlineGateway } from '../specs.ts';

const CONFIG = (path: string) => `sources: [{ name: a, file: { path: ${path} } }]
registries: [{ name: main, sources: [a] }]
auth: { mode: anonymous }
`;
const entries = (version: string) =>
  JSON.stringify({ data: { servers: [{ name: 'com.example/weather', description: 'Forecasts.', version }] } });

test('`lintel dev` serves edits of a file of entries, entries of a newly named file, and the correction of a mistake', async () => {
  const backend = await startSdkServer({ transport: 'streamable-http' });
  await using folder = await temporaryFolder({
    'specs/group.yaml': GROUP,
    'specs/gateway.yaml': inlineGateway('eng', backend.url),
    'specs/registry.yaml': CONFIG('../catalog/servers.json'),
    'catalog/servers.json': entries('1.0.0'),
    'later/servers.json': entries('1.0.0'),
  });
  await using lintel = start(PROGRAM.lintel, ['dev', 'specs', '--gateway', 'eng', ...FREE_PORTS], { cwd: folder.path });
  await lintel.announcement<Announcement>();

  await folder.write({ 'catalog/servers.json': entries('^1') });
  await lintel.stderr.next(/error\[LNT8022\][^\n]*\n +--> catalog\/servers\.json:1:/);
  await folder.write({ 'catalog/servers.json': entries('1.0.1') });
  await lintel.stderr.next(/lintel: compiled in/);

  await folder.write({ 'specs/registry.yaml': CONFIG('../later/servers.json') });
  await lintel.stderr.next(/lintel: compiled in/);
  await folder.write({ 'later/servers.json': entries('latest') });
  await lintel.stderr.next(/error\[LNT8022\][^\n]*\n +--> later\/servers\.json:1:/);
  expect(await lintel.stderr.text).not.toContain('waiting for a change');
  await backend.close();
});
