/** Repositories, servers and machines that try to make git do more than read a file. */
import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { TestRepository } from '../../support/git-repository.ts';
import { GitServer } from '../../support/git-server.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { read } from './reading.ts';

let folder: TemporaryFolder;
let marker: string;
/** A program that creates the marker file. */
let program: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  marker = folder.file('marker');
  program = folder.file('program');
  writeFileSync(program, `#!/bin/sh\ntouch '${marker}'\ncat\n`, { mode: 0o755 });
});
afterAll(() => folder[Symbol.asyncDispose]());
afterEach(() => vi.unstubAllEnvs());

const makeRepository = (name: string, head?: string) =>
  new TestRepository(folder.path, name, head === undefined ? {} : { head });

describe('trees', () => {
  let repository: TestRepository;
  let commit: string;

  beforeAll(() => {
    repository = makeRepository('trees.git');
    commit = repository.commit({
      'link.json': { mode: '120000', text: '/etc/passwd' },
      'linked-folder': { mode: '120000', text: '/etc' },
      'module.json': { commit: '0123456789012345678901234567890123456789' },
      'folder/file.json': 'a file',
      'large.json': 'x'.repeat(2000),
      'lfs.json': 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n',
      'latin1.json': Buffer.from([0x22, 0xe9, 0x22]),
      '*': 'a star',
    });
  });

  test.each([
    ['link.json', 'it is a symbolic link, which is not followed; give the path of the file itself'],
    ['linked-folder/passwd', 'there is no such file; check path'],
    ['module.json', 'it is a submodule, which is not fetched; give the path of the file itself'],
    ['module.json/x', 'there is no such file; check path'],
    ['folder', 'it is a folder; give the path of the file itself'],
    ['large.json', 'it has 2000 bytes; at most 1000 are read'],
    ['*.json', 'there is no such file; check path'],
    [':(top)link.json', 'there is no such file; check path'],
  ])('a Git read refuses to read the path %s of a repository and gives the cause', async (path, cause) => {
    await expect(read(folder, { repository: repository.path, path }, { limits: { fileBytes: 1000 } })).rejects.toThrow(
      `file://${repository.path} at ${commit.slice(0, 12)}, ${path}: ${cause}`,
    );
  });

  test.each([
    ['lfs.json', 'the file is in Git LFS, which is not read; commit the file itself'],
    ['latin1.json', 'it is not UTF-8 text; save it as UTF-8'],
  ])('a Git read refuses the file %s, which is in Git LFS or not UTF-8', async (path, cause) => {
    await expect(read(folder, { repository: repository.path, path })).rejects.toThrow(
      `file://${repository.path}, ${path}: ${cause}`,
    );
  });

  test('a Git read takes a path literally, and not as a pattern', async () => {
    expect(await read(folder, { repository: repository.path, path: '*' })).toMatchObject({ text: 'a star' });
  });

  test.each([
    ['--output=x', 'path starts with a hyphen, as an option of git does'],
    ['../registry.json', 'path is not a path from the root'],
    ['/etc/passwd', 'path is not a path from the root'],
    ['a\0b', 'path has a control character'],
  ])('a Git read refuses the path %j before it starts git', async (path, cause) => {
    await expect(read(folder, { repository: repository.path, path })).rejects.toThrow(cause);
  });
});

test('a Git read returns the bytes of a file unchanged, regardless of the attributes that .gitattributes gives the file', async () => {
  const repository = makeRepository('attributes.git');
  repository.git(['config', 'filter.evil.smudge', program]);
  const text = '{"a": "$Id$"}\n';
  const attributes = '* filter=evil diff=evil ident eol=crlf working-tree-encoding=UTF-16\n';
  repository.commit({ '.gitattributes': attributes, 'registry.json': text });
  expect(await read(folder, { repository: repository.path })).toMatchObject({ text });
  expect(existsSync(marker)).toBe(false);
});

test('a Git read runs no programs of the repository', async () => {
  const repository = makeRepository('hooks.git');
  repository.commit({ 'registry.json': 'x', '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = --upload-pack=x\n' });
  mkdirSync(`${repository.path}/hooks`);
  for (const hook of ['post-checkout', 'reference-transaction', 'pre-auto-gc', 'post-upload-pack'])
    symlinkSync(program, `${repository.path}/hooks/${hook}`);
  for (const name of ['uploadpack.packObjectsHook', 'core.fsmonitor', 'core.alternateRefsCommand', 'core.sshCommand'])
    repository.git(['config', name, program]);
  expect(await read(folder, { repository: repository.path })).toMatchObject({ text: 'x' });
  expect(existsSync(marker)).toBe(false);
});

test('a Git read ignores the git settings and templates of the machine', async () => {
  const repository = makeRepository('plain.git');
  repository.commit({ 'registry.json': 'x' });
  const home = folder.file('home');
  for (const path of ['template/hooks', '.config/git']) mkdirSync(`${home}/${path}`, { recursive: true });
  symlinkSync(program, `${home}/template/hooks/reference-transaction`);
  const settings = `[init]
\ttemplateDir = ${home}/template
[core]
\thooksPath = ${home}/template/hooks
\tfsmonitor = ${program}
[url "ext::${program} "]
\tinsteadOf = file://
[uploadpack]
\tpackObjectsHook = ${program}
`;
  for (const path of ['.gitconfig', '.config/git/config']) writeFileSync(`${home}/${path}`, settings);
  for (const [name, value] of Object.entries({
    HOME: home,
    XDG_CONFIG_HOME: `${home}/.config`,
    GIT_CONFIG_GLOBAL: `${home}/.gitconfig`,
    GIT_CONFIG_SYSTEM: `${home}/.gitconfig`,
    GIT_CONFIG_PARAMETERS: `'core.hooksPath=${home}/template/hooks'`,
    GIT_TEMPLATE_DIR: `${home}/template`,
    GIT_TRACE: marker,
    GIT_EXTERNAL_DIFF: program,
    GIT_ALLOW_PROTOCOL: 'ext:file',
  }))
    vi.stubEnv(name, value);
  expect(await read(folder, { repository: repository.path })).toMatchObject({ text: 'x' });
  expect(existsSync(marker)).toBe(false);
});

test('a Git read ignores the settings of a repository that contains its cache folder', async () => {
  const repository = makeRepository('read.git');
  repository.commit({ 'registry.json': 'x' });
  const around = folder.file('around');
  mkdirSync(`${around}/cache`, { recursive: true });
  repository.git(['init', '--quiet', '--template=', around], '');
  writeFileSync(`${around}/.git/config`, `[url "ext::${program} "]\n\tinsteadOf = file://\n`, { flag: 'a' });
  expect(await read(folder, { repository: repository.path }, { cacheDir: `${around}/cache` })).toMatchObject({
    text: 'x',
  });
  expect(existsSync(marker)).toBe(false);
});

describe('names that look like options', () => {
  test('a Git read follows a default branch whose name looks like an option', async () => {
    const name = `--upload-pack=${program}`;
    const repository = makeRepository('option.git', name);
    repository.commit({ 'registry.json': 'x' }, name);
    expect(await read(folder, { repository: repository.path })).toMatchObject({ text: 'x' });
    expect(existsSync(marker)).toBe(false);
  });

  test.each([
    ['branch', '--upload-pack=x', 'the branch starts with a hyphen, as an option of git does'],
    ['tag', 'main:refs/heads/x', 'the tag is not a name that git allows for a tag'],
    ['branch', '*', 'the branch is not a name that git allows for a branch'],
    ['branch', 'refs/heads/main', 'the branch starts with refs/: give the name of the branch alone'],
    ['commit', 'HEAD', 'the commit is not a full commit id'],
    ['commit', '--all', 'the commit is not a full commit id'],
  ] as const)('a Git read refuses the %s %s, which is not a valid name', async (type, name, cause) => {
    await expect(read(folder, { repository: folder.path, ref: { type, name } })).rejects.toThrow(cause);
  });

  test.each([
    ['--upload-pack=x', 'it is not an https, http or file URL and not an absolute path'],
    ['ext::sh -c touch% marker', 'it has a space, a backslash or a control character'],
    ['ext::program', 'it is not an https, http or file URL and not an absolute path'],
    ['relative/path.git', 'it is not an https, http or file URL and not an absolute path'],
    ['git://git.example.com/a.git', 'it is not an https, http or file URL and not an absolute path'],
    ['git@git.example.com:a/b.git', 'it is read over ssh, for which no key can be given'],
    ['ssh://-oProxyCommand=x/a', 'it is read over ssh, for which no key can be given'],
    ['file://other.example.com/a.git', 'it names a host'],
    ['https://u:hunter2@git.example.com/a.git', 'it contains credentials; use auth'],
    ['https:git.example.com/a.git', 'it is not an https, http or file URL and not an absolute path'],
  ])('a Git read refuses the repository address %s, and its error has no credentials', async (repository, cause) => {
    const error = await read(folder, { repository }).catch(error => error);
    expect(error).toMatchObject({ name: 'GitError', reason: 'invalid' });
    expect(error.message).toMatch(/^the address of a git repository: it /);
    expect(error.message).toContain(cause);
    expect(error.message).not.toContain('hunter2');
  });
});

describe('the limit is applied to the size', () => {
  test('a Git read refuses a repository that exceeds the size limit', async () => {
    const repository = makeRepository('large.git');
    repository.commit({ 'registry.json': 'x', noise: Buffer.from(crypto.getRandomValues(new Uint8Array(65_536))) });
    await expect(
      read(folder, { repository: repository.path }, { limits: { repositoryBytes: 60_000 } }),
    ).rejects.toThrow(
      `file://${repository.path}: it has more than 60000 bytes; keep the files of the source in a repository of their own`,
    );
  });

  test('a Git read stops while the server still sends when the repository exceeds the size limit', async () => {
    const repository = makeRepository('endless.git');
    repository.commit({ 'registry.json': 'x' });
    const gone = Promise.withResolvers<void>();
    await using server = await GitServer.start({
      root: folder.path,
      intercept(request, response) {
        if (request.method !== 'POST') return false;
        const chunks: Buffer[] = [];
        request.on('data', chunk => chunks.push(chunk));
        request.on('end', () => {
          const isFetch = Buffer.concat(chunks).includes('command=fetch');
          const head = { 'content-type': 'application/x-git-upload-pack-result' };
          if (!isFetch) {
            const commit = repository.git(['rev-parse', 'refs/heads/main']);
            response.writeHead(200, head).end(`${packet(`${commit} HEAD\n`)}0000`);
            return;
          }
          response.writeHead(200, head);
          response.write(endlessPack());
          // The response never ends.
          response.on('close', gone.resolve);
        });
        return true;
      },
    });
    await expect(
      read(folder, { repository: server.url('endless.git') }, { limits: { repositoryBytes: 100_000 } }),
    ).rejects.toThrow('it has more than 100000 bytes');
    await gone.promise;
  });

  test('a Git read refuses a repository with an object that exceeds the memory limit', async () => {
    const repository = makeRepository('bomb.git');
    repository.commit({ 'registry.json': 'x' });
    const tree = repository.git(['rev-parse', 'refs/heads/main^{tree}']);
    const start = `tree ${tree}\nauthor a <a@b> 0 +0000\ncommitter a <a@b> 0 +0000\n\n`;
    const text = Buffer.alloc(20 * 1024 * 1024, 'x');
    text.write(start);
    const commit = repository.git(['hash-object', '-t', 'commit', '-w', '--stdin'], text);
    repository.git(['update-ref', 'refs/heads/main', commit]);
    await using server = await GitServer.start({ root: folder.path });
    const limits = { allocationBytes: 16 * 1024 * 1024 };
    await expect(read(folder, { repository: server.url('bomb.git') }, { limits })).rejects.toThrow(
      'an object in it is too large to be held in memory',
    );
  });

  test('a Git read refuses an answer that exceeds the size limit', async () => {
    await using server = await GitServer.start({
      root: folder.path,
      intercept(request, response) {
        const advertised = Array.from({ length: 2000 }, (_, at) =>
          packet(`${'1'.repeat(40)} refs/${at}/refs/heads/main\n`),
        );
        const type = { 'content-type': 'application/x-git-upload-pack-advertisement' };
        response.writeHead(200, type).end(`${packet('# service=git-upload-pack\n')}0000${advertised.join('')}0000`);
        return request.method === 'GET';
      },
    });
    const ref = { type: 'branch', name: 'main' } as const;
    await expect(read(folder, { repository: server.url('x.git'), ref })).rejects.toThrow(
      'it has too many refs whose names end in refs/heads/main: their list has more than 65536 bytes; delete those that are not used',
    );
  });
});

test('a Git read removes old files of a killed process from the cache folder, and keeps recent files of another read', async () => {
  const repository = makeRepository('leftovers.git');
  repository.commit({ 'registry.json': 'x' });
  const cacheDir = folder.file('shared');
  for (const name of ['reading-old', 'reading-new', 'other']) mkdirSync(`${cacheDir}/${name}`, { recursive: true });
  for (const name of ['reading-old', 'other']) utimesSync(`${cacheDir}/${name}`, 0, 0);
  await read(folder, { repository: repository.path }, { cacheDir });
  expect(readdirSync(cacheDir).sort()).toEqual(['other', 'reading-new']);
});

/** One line of git's protocol, prefixed with its length. */
function packet(text: string | Buffer): string {
  const bytes = Buffer.from(text);
  return (bytes.length + 4).toString(16).padStart(4, '0') + bytes.toString('latin1');
}

/** The start of a response to a fetch that announces many objects, and a large incomplete one. */
function endlessPack(): Buffer {
  const pack = Buffer.concat([Buffer.from('PACK\0\0\0\x02\0\0\x10\0', 'latin1'), storedBlob(300_000)]);
  const parts = [Buffer.from(packet('packfile\n'))];
  for (let at = 0; at < pack.length; at += 60_000) {
    const data = Buffer.concat([Buffer.from([1]), pack.subarray(at, at + 60_000)]);
    parts.push(Buffer.from((data.length + 4).toString(16).padStart(4, '0')), data);
  }
  return Buffer.concat(parts);
}

/** A blob of random bytes in pack format: type and size, then the zlib stream. */
function storedBlob(size: number): Buffer {
  const head = [0xb0 | (size & 15)];
  for (let rest = size >> 4; rest > 0; rest >>= 7) head.push((rest & 127) | (rest > 127 ? 128 : 0));
  const noise = Buffer.alloc(size);
  for (let at = 0; at < size; at += 60_000) crypto.getRandomValues(noise.subarray(at, Math.min(at + 60_000, size)));
  return Buffer.concat([Buffer.from(head), deflateSync(noise, { level: 0 })]);
}
