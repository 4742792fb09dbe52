/** A file of certificate authorities that is replaced: the last valid content stays in force, and one log line reports that. */
import { rm, writeFile } from 'node:fs/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { AuthorityFile } from '../../../runtime/http/authority-file.ts';
import { listeningLog } from '../../support/log-lines.ts';
import { temporaryFolder } from '../../support/process.ts';
import { EXPIRED_AUTHORITY, ISSUED_KEY, TEST_AUTHORITY, TEST_CERTIFICATE } from '../../support/tls-fixture.ts';

const STAYS = '; the previous certificate authorities stay trusted';

test.each<[string, (path: string) => Promise<void>, string]>([
  ['is emptied', path => writeFile(path, ''), 'is empty'],
  ['was deleted', path => rm(path), 'cannot be read (ENOENT)'],
  ['is broken', path => writeFile(path, TEST_AUTHORITY.slice(0, 200)), 'holds a certificate that is broken'],
  ['contains a private key', path => writeFile(path, TEST_AUTHORITY + ISSUED_KEY), 'holds a private key'],
])(
  'the gateway still trusts the former certificates of a CA file that %s, and logs a warning',
  async (_, change, cause) => {
    await using folder = await temporaryFolder({ 'ca.crt': TEST_AUTHORITY });
    const path = folder.file('ca.crt');
    const { log, lines } = listeningLog();
    const file = new AuthorityFile(path, log);
    onTestFinished(() => file.close());
    expect(await file.read()).toBe(TEST_AUTHORITY);
    expect(file.stale).toBeNull();

    await change(path);
    for (let n = 0; n < 3; n++) expect(await file.read()).toBe(TEST_AUTHORITY);
    expect(file.stale).toContain(`the certificate authorities in ${path} cannot be used: the file ${cause}`);
    expect(lines).toEqual([{ level: 'error', msg: `${file.stale}${STAYS}` }]);
    expect(JSON.stringify(lines)).not.toContain(ISSUED_KEY.split('\n')[1]);

    await writeFile(path, TEST_CERTIFICATE);
    expect(await file.read()).toBe(TEST_CERTIFICATE);
    expect(file.stale).toBeNull();
  },
);

test('each attempt to read a CA file without a certificate fails with the reason, until the file has a certificate', async () => {
  await using folder = await temporaryFolder({ 'ca.crt': 'hello' });
  const path = folder.file('ca.crt');
  const file = new AuthorityFile(path);
  for (let n = 0; n < 2; n++) await expect(file.read()).rejects.toMatchObject({ code: 'ERR_HTTP_TRUST' });
  expect(file.stale).toContain(
    `the certificate authorities in ${path} cannot be used: the file holds no PEM certificate`,
  );

  await writeFile(path, TEST_AUTHORITY);
  expect(await file.read()).toBe(TEST_AUTHORITY);
  expect(file.stale).toBeNull();
});

test('the log warns of an expired certificate in a CA file once, and not at each read of the file', async () => {
  await using folder = await temporaryFolder({ 'ca.crt': EXPIRED_AUTHORITY });
  const path = folder.file('ca.crt');
  const { log, lines } = listeningLog();
  const file = new AuthorityFile(path, log);
  onTestFinished(() => file.close());
  for (let n = 0; n < 3; n++) await file.read();
  const msg = `the file ${path} holds a certificate that has expired on 2021-01-01`;
  expect(lines).toEqual([{ level: 'warn', msg }]);
});

test('the gateway reads a CA file at intervals even without a connection that uses the file, until it closes the file', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  await using folder = await temporaryFolder({ 'ca.crt': TEST_AUTHORITY });
  const file = new AuthorityFile(folder.file('ca.crt'), listeningLog().log);
  await file.read();
  const read = vi.spyOn(file, 'read');
  vi.advanceTimersByTime(10_000);
  expect(read).toHaveBeenCalledTimes(2);
  file.close();
  vi.advanceTimersByTime(10_000);
  expect(read).toHaveBeenCalledTimes(2);
  await Promise.all(read.mock.results.map(({ value }) => value));
});
