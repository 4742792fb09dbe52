import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { GATEWAY_FILE, startDevSession } from './dev-session.ts';

const GOOD = '{ workload: backend, filter: [echo, fail] }';

/** Rows of: the name of the error, the edit, and the headline and the place that `lintel dev` prints. */
test.each([
  [
    'a misspelt field',
    (text: string) => text.replace('filter', 'fliter'),
    /error\[LNT1003\] unknown-field: .*\n +--> gateway\.yaml:13:32\n/,
  ],
  [
    'a file that is not YAML',
    (text: string) => `${text}\n: [`,
    /error\[LNT1001\] broken-syntax: .*\n +--> gateway\.yaml:\d+:\d+\n/,
  ],
  ['an empty file', () => '', /lintel: .*\n/],
  [
    'a gateway of another name',
    (text: string) => text.replace('name: eng', 'name: other'),
    /the new bundle is refused, and the running bundle stays in use: .*it lists no gateway/,
  ],
])('`lintel dev` reports %s, keeps the former bundle in service, and serves a correction', async (_, spoil, report) => {
  await using dev = await startDevSession();
  const file = dev.folder.file(GATEWAY_FILE);
  await writeFile(file, spoil(dev.gateway(GOOD)));
  await dev.lintel.stderr.next(report);
  expect(await dev.client.tools()).toEqual(['backend_echo']);
  expect(await dev.client.call('backend_echo')).toBe('{}');

  const since = performance.now();
  await writeFile(file, dev.gateway(GOOD));
  await dev.client.lists(['backend_echo', 'backend_fail'], since);
});
