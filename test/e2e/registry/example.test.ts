/** The example that runs with one command works as docs/registry.md shows. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROGRAM, ROOT, start, temporaryFolder } from '../../support/process.ts';
import { FREE_PORTS } from '../served.ts';
import { listAllServers, type RegistryAnnouncement } from './registry-server.ts';

test('the example registry server lists its servers as docs/registry.md shows them', async () => {
  await using folder = await temporaryFolder();
  const args = ['serve', 'examples/registry-local', ...FREE_PORTS, '--state-dir', folder.path];
  await using lintel = start(PROGRAM.lintel, args, { cwd: ROOT });
  const { url, registries } = await lintel.announcement<RegistryAnnouncement>();
  expect(await listAllServers(registries.team ?? '')).toEqual([
    'com.example/climate@1.4.0',
    'com.example/notes@1.10.0',
    'com.example/notes@1.0.0',
  ]);
  const page = await readFile(join(ROOT, 'docs/registry.md'), 'utf8');
  const [, command = '', output = ''] = /\n\$ curl -s 'http:\/\/127\.0\.0\.1:8080(\S+)'\n(.*)\n/.exec(page) ?? [];
  expect(await (await fetch(url + command)).text()).toBe(output);
});
