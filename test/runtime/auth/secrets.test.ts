/** Secrets in files and variables, and their rotation. */
import { mkdir, mkdtemp, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLogger } from '#runtime';
import { readSecret, Secrets } from '../../../runtime/auth/secrets.ts';
import { listeningLog } from '../../support/log-lines.ts';

const log = createLogger('silent');
const USE = 'client secret of provider "corp"';

let folder: string;
let file: string;
const open: Secrets[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lintel-secrets-'));
  file = join(folder, 'secret');
});
afterEach(async () => {
  vi.useRealTimers();
  for (const secrets of open.splice(0)) secrets.close();
  await rm(folder, { recursive: true });
});

function secretsOf(env: Record<string, string> = {}): Secrets {
  const secrets = new Secrets({ log, env });
  open.push(secrets);
  return secrets;
}

describe('a value', () => {
  test.each([
    ['without a change', 'value', 'value'],
    ['without one line break', 'value\n', 'value'],
    ['without one Windows line break', 'value\r\n', 'value'],
    ['with a second line break', 'value\n\n', 'value\n'],
    ['with other white space', ' value \t', ' value \t'],
    ['with inner line breaks', 'a\nb', 'a\nb'],
    ['with characters beyond ASCII', 'wört', 'wört'],
  ])('the gateway reads the value of a secret file %s', async (_name, content, value) => {
    await writeFile(file, content);
    expect(readSecret({ env: null, file }, USE)).toBe(value);
  });

  test('a secret comes from its file, or from its environment variable if the file does not exist', async () => {
    const env = { NAME: 'from variable\n' };
    expect(readSecret({ env: 'NAME', file }, USE, env)).toBe('from variable\n');
    await writeFile(file, 'from file');
    expect(readSecret({ env: 'NAME', file }, USE, env)).toBe('from file');
  });
});

test('the gateway refuses a secret with an unusable value at the start, and later keeps the last usable value of the secret', async () => {
  const problemOf = (value: string) => (value.startsWith('good') ? undefined : 'is not good');
  await writeFile(file, 'bad');
  const { log, lines } = listeningLog();
  const secrets = new Secrets({ log, env: { NAME: 'bad' } });
  open.push(secrets);
  expect(() => secrets.open({ env: null, file }, USE, problemOf)).toThrow(
    `the ${USE} cannot be used: file ${file} is not good`,
  );
  expect(() => secrets.open({ env: 'NAME', file: null }, USE, problemOf)).toThrow(
    `the ${USE} cannot be used: environment variable NAME is not good`,
  );
  await writeFile(file, 'good 1');
  const secret = secrets.open({ env: null, file }, USE, problemOf);
  await writeFile(file, 'bad');
  secrets.refresh();
  expect(secret.value).toBe('good 1');
  expect(lines.at(-1)).toMatchObject({ level: 'warn', secret: USE, file, cause: 'is not good' });
  await writeFile(file, 'good 2');
  secrets.refresh();
  expect(secret.value).toBe('good 2');
});

describe('a missing secret', () => {
  test.each<[string, { env: string | null; file: string | null }, string | undefined, string]>([
    ['no variable', { env: 'NAME', file: null }, undefined, 'environment variable NAME is not set'],
    ['an empty variable', { env: 'EMPTY', file: null }, undefined, 'environment variable EMPTY is empty'],
    ['no file', { env: null, file: 'FILE' }, undefined, 'file FILE cannot be read (ENOENT)'],
    ['an empty file', { env: null, file: 'FILE' }, '\n', 'file FILE is empty'],
    ['a huge file', { env: null, file: 'FILE' }, 'x'.repeat(65_537), 'file FILE has more than 65536 bytes'],
    [
      'neither file nor variable',
      { env: 'NAME', file: 'FILE' },
      undefined,
      'file FILE cannot be read (ENOENT), and environment variable NAME is not set',
    ],
  ])(
    'the error names the environment variable or the file of a missing secret: %s',
    async (_name, source, content, cause) => {
      if (content !== undefined) await writeFile(file, content);
      const at = { ...source, file: source.file && file };
      const expected = `the ${USE} is missing: ${cause.replace('FILE', file)}`;
      expect(() => readSecret(at, USE, { EMPTY: '' })).toThrow(expected);
      expect(() => secretsOf({ EMPTY: '' }).open(at, USE)).toThrow(expected);
    },
  );

  test('a secret file that cannot be read is an error unless the environment variable of the secret is set', async () => {
    await symlink('secret', file);
    expect(() => secretsOf().open({ env: null, file }, USE)).toThrow(
      `the ${USE} is missing: file ${file} cannot be read (ELOOP)`,
    );
    expect(secretsOf({ NAME: 'value' }).open({ env: 'NAME', file }, USE).value).toBe('value');
  });

  test('a folder in place of a secret file is an error', () => {
    expect(() => readSecret({ env: null, file: folder }, USE)).toThrow('(EISDIR)');
  });
});

describe('rotation of secrets', () => {
  test('the gateway notices within seconds that Kubernetes has replaced the file of a secret', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    // A mounted Secret: the file is a link into a folder that is replaced as a whole.
    for (const [version, value] of [
      ['v1', 'first'],
      ['v2', 'second'],
    ] as const) {
      await mkdir(join(folder, version));
      await writeFile(join(folder, version, 'secret'), `${value}\n`);
    }
    await symlink('v1', join(folder, 'data'));
    const secret = secretsOf().open({ env: null, file: join(folder, 'data', 'secret') }, USE);
    expect(secret.value).toBe('first');
    await symlink('v2', join(folder, 'next'));
    await rename(join(folder, 'next'), join(folder, 'data'));
    expect(secret.value).toBe('first');
    vi.advanceTimersByTime(5_000);
    expect(secret.value).toBe('second');
  });

  test('the log has one line for each new reason why a secret file is unusable, and none if a variable has the value', async () => {
    const { log, lines } = listeningLog();
    const secrets = new Secrets({ log, env: { NAME: 'from variable' } });
    open.push(secrets);
    const absent = secrets.open({ env: 'NAME', file: join(folder, 'absent') }, 'other secret');
    await writeFile(file, 'first');
    const secret = secrets.open({ env: null, file }, USE);
    await unlink(file);
    for (let at = 0; at < 3; at++) secrets.refresh();
    await writeFile(file, '');
    for (let at = 0; at < 3; at++) secrets.refresh();
    expect([secret.value, absent.value]).toEqual(['first', 'from variable']);
    expect(lines.map(({ secret: use, cause }) => [use, cause])).toEqual([
      [USE, `file ${file} cannot be read (ENOENT)`],
      [USE, `file ${file} is empty`],
    ]);
    await writeFile(file, 'second');
    secrets.refresh();
    await unlink(file);
    secrets.refresh();
    expect([secret.value, lines.length]).toEqual(['second', 3]);
  });

  test('the gateway reads a changed secret file at once when it is asked to refresh its secrets', async () => {
    await writeFile(file, 'first');
    const secrets = secretsOf();
    const secret = secrets.open({ env: null, file }, USE);
    await writeFile(file, 'second');
    secrets.refresh();
    expect(secret.value).toBe('second');
  });

  test.each<[string, () => Promise<void>]>([
    ['vanishes', () => unlink(file)],
    ['is empty for a moment', () => writeFile(file, '')],
  ])(
    'a secret keeps its last value when its file %s, even if its environment variable has a value',
    async (_name, spoil) => {
      await writeFile(file, 'first');
      const secrets = secretsOf({ NAME: 'old' });
      const secret = secrets.open({ env: 'NAME', file }, USE);
      await spoil();
      secrets.refresh();
      expect(secret.value).toBe('first');
      await writeFile(file, 'second');
      secrets.refresh();
      expect(secret.value).toBe('second');
    },
  );

  test('a secret keeps its last value while its file is a link to itself, and takes the value of a file that replaces the link', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await writeFile(file, 'first');
    const secret = secretsOf().open({ env: null, file }, USE);
    await rm(file);
    await symlink('secret', file);
    vi.advanceTimersByTime(5_000);
    expect(secret.value).toBe('first');
    await rm(file);
    await writeFile(file, 'second');
    vi.advanceTimersByTime(5_000);
    expect(secret.value).toBe('second');
  });

  test('the gateway notices a secret file that did not exist at first', async () => {
    const secrets = secretsOf({ NAME: 'from variable' });
    const secret = secrets.open({ env: 'NAME', file }, USE);
    expect(secret.value).toBe('from variable');
    await writeFile(file, 'from file');
    secrets.refresh();
    expect(secret.value).toBe('from file');
  });

  test('a closed Secrets object no longer watches its files', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await writeFile(file, 'first');
    const secrets = secretsOf();
    const secret = secrets.open({ env: null, file }, USE);
    secrets.close();
    await writeFile(file, 'second');
    vi.advanceTimersByTime(60_000);
    expect(secret.value).toBe('first');
  });
});
