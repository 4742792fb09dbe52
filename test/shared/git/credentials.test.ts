/** How Lintel authenticates to a git server, and that no other process sees the credentials. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { TestRepository } from '../../support/git-repository.ts';
import { basic, GitServer } from '../../support/git-server.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { read } from './reading.ts';

const PASSWORD = 'hunter2-püß:"%';

let folder: TemporaryFolder;
let server: GitServer;
let password = PASSWORD;
let duringRequests = () => {};

beforeAll(async () => {
  folder = await temporaryFolder();
  mkdirSync(folder.file('repositories'));
  new TestRepository(folder.file('repositories'), 'private.git').commit({ 'registry.json': 'secret' });
  server = await GitServer.start({
    root: folder.file('repositories'),
    user: () => `registry:${password}`,
    intercept: () => {
      duringRequests();
      return false;
    },
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** Reads the private repository as a user whose password is in a file. */
function readAs(username: string, inFile: string, repository = server.url('private.git')) {
  const passwordFile = folder.file('password');
  writeFileSync(passwordFile, inFile);
  return read(folder, { repository, credentials: { username, passwordFile } });
}

const REFUSED =
  'it asks for credentials and did not accept these, or got no credentials; set auth, or renew the password in its file';

test('a repository can be read with valid credentials', async () => {
  expect(await readAs('registry', `${PASSWORD}\n`)).toMatchObject({ text: 'secret' });
});

test.each([
  ['a wrong password', 'registry', 'guess'],
  ['the name of another user', 'other', PASSWORD],
])('a repository cannot be read with %s', async (_name, username, inFile) => {
  const error = await readAs(username, inFile).catch(error => error);
  expect(error).toMatchObject({ name: 'GitError', reason: 'credentials' });
  expect(error.message).toBe(`${server.url('private.git')}: ${REFUSED}`);
});

test('a repository that needs credentials cannot be read without them', async () => {
  await expect(read(folder, { repository: server.url('private.git') })).rejects.toThrow(REFUSED);
});

test('a Git read ignores the credentials in ~/.netrc of the operating system user', async () => {
  writeFileSync(folder.file('.netrc'), `machine 127.0.0.1 login registry password ${PASSWORD}\n`);
  vi.stubEnv('HOME', folder.path);
  vi.stubEnv('NETRC', folder.file('.netrc'));
  server.requests.length = 0;
  await expect(read(folder, { repository: server.url('private.git') })).rejects.toThrow(REFUSED);
  vi.unstubAllEnvs();
  expect(server.requests.map(({ authorization }) => authorization)).toEqual([undefined]);
});

test('a Git read uses the new password after the password file of a repository has changed', async () => {
  expect(await readAs('registry', password)).toMatchObject({ text: 'secret' });
  password = 'another-one';
  try {
    await expect(readAs('registry', PASSWORD)).rejects.toThrow(REFUSED);
    expect(await readAs('registry', 'another-one')).toMatchObject({ text: 'secret' });
  } finally {
    password = PASSWORD;
  }
});

test('the error for a missing password file of a repository names the file', async () => {
  const passwordFile = folder.file('nowhere');
  rmSync(passwordFile, { force: true });
  await expect(
    read(folder, { repository: server.url('private.git'), credentials: { username: 'registry', passwordFile } }),
  ).rejects.toThrow(
    `${server.url('private.git')}: the password of user "registry" is missing: file ${passwordFile} cannot be read (ENOENT)`,
  );
});

test('a Git read refuses a user name with a colon before it sends any request to the Git server', async () => {
  server.requests.length = 0;
  await expect(readAs('regis:try', PASSWORD)).rejects.toThrow('the user name has a colon or a control character');
  expect(server.requests).toEqual([]);
});

test.runIf(process.platform === 'linux')(
  'no process has the credentials of a repository in its arguments',
  async () => {
    const seen = new Set<string>();
    duringRequests = () => {
      for (const id of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
        try {
          seen.add(readFileSync(`/proc/${id}/cmdline`, 'utf8'));
        } catch {
          // The process has exited meanwhile.
        }
      }
    };
    await readAs('registry', PASSWORD);
    duringRequests = () => {};
    const lines = [...seen].filter(line => line.includes(server.url('private.git')));
    expect(
      lines.some(line => line.includes('remote-http')),
      'the process that sends them was seen',
    ).toBe(true);
    for (const line of lines) {
      expect(line).not.toContain(PASSWORD);
      expect(line).not.toContain(basic(`registry:${PASSWORD}`).slice('Basic '.length));
    }
  },
);

describe('redirects', () => {
  test.each([
    ['Git redirects of all requests', () => true],
    ['Git redirects of the fetch', (method = '') => method === 'POST'],
  ])(
    '%s to another host do not make the controller or registry server send a request there',
    async (_name, isRedirected) => {
      await using other = await GitServer.start({ root: folder.file('repositories') });
      await using first = await GitServer.start({
        root: folder.file('repositories'),
        intercept(request, response) {
          if (!isRedirected(request.method)) return false;
          response.writeHead(307, { location: `${other.origin}${request.url}` }).end();
          return true;
        },
      });
      await expect(readAs('registry', PASSWORD, first.url('private.git'))).rejects.toThrow(
        `${first.url('private.git')}: it redirects, which is not followed; write the address of the redirect`,
      );
      expect(first.requests.map(({ authorization }) => authorization)).toContain(basic(`registry:${PASSWORD}`));
      expect(other.requests).toEqual([]);
    },
  );
});

test('a local repository is read without credentials', async () => {
  const repository = `${folder.file('repositories')}/private.git`;
  const credentials = { username: 'registry', passwordFile: folder.file('password') };
  writeFileSync(folder.file('password'), PASSWORD);
  expect(await read(folder, { repository, credentials })).toMatchObject({ text: 'secret' });
});
