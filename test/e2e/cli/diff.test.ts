import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { BundleIndex } from '#schemas';
import { runLintel } from '../../support/lintel.ts';
import { ROOT, temporaryFolder } from '../../support/process.ts';
import { CLEAN, gateway, WITH_ERROR } from '../specs.ts';

const POLICIES = 'examples/policies/specs';

function diff(cwd: string, ...args: readonly string[]) {
  return runLintel(['diff', ...args], { cwd });
}

const REGISTRY = `sources: [{ name: a, file: { path: /data/a.json } }]
registries: [{ name: main, sources: [a] }]
auth: { mode: anonymous }
`;

/** A tool lock for the specs' backend, according to which it offers nothing. */
const LOCK = JSON.stringify({
  lockfileVersion: 1,
  backends: {
    'default/MCPServerEntry/github': {
      url: 'https://github.example.com/mcp',
      transport: 'streamable-http',
      protocolVersion: '2025-11-25',
      server: { name: 'github', version: '1.0.0' },
      tools: {},
    },
  },
});

test('`lintel diff` exits with code 0 for equal specs', async () => {
  expect(await diff(ROOT, POLICIES, POLICIES)).toEqual({
    code: 0,
    stdout: 'no difference in 1 gateway or registry server\n',
    stderr: 'lintel: using examples/policies/lintel.lock.json\n',
  });
});

test('`lintel diff` exits with code 1 for a wider policy, with the output that the README shows', async () => {
  const specs = await readFile(join(ROOT, POLICIES, 'team.yaml'), 'utf8');
  const opened = specs.replace(/ +- \|\n +@id\("no-climate-for-interns"\)[\s\S]*?;\n/, '');
  expect(opened).not.toBe(specs);
  const lock = await readFile(join(ROOT, 'examples/policies/lintel.lock.json'), 'utf8');
  await using folder = await temporaryFolder({
    'before/team.yaml': specs,
    'after/team.yaml': opened,
    'lintel.lock.json': lock,
  });
  const { code, stdout, stderr } = await diff(folder.path, 'before', 'after');
  expect([code, stderr]).toEqual([1, '']);
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const [, shown = ''] = /```sh\nnpx lintel diff before after\n```\n\n```console\n([^`]*)```/.exec(readme) ?? [];
  expect(stdout).toBe(shown);
});

test('`lintel diff --fail-on` exits with code 1 for the kind of difference that the option names', async () => {
  const specs = await readFile(join(ROOT, POLICIES, 'team.yaml'), 'utf8');
  const wide = specs.replace(/ +- \|\n +@id\("no-climate-for-interns"\)[\s\S]*?;\n/, '');
  const lock = await readFile(join(ROOT, 'examples/policies/lintel.lock.json'), 'utf8');
  await using folder = await temporaryFolder({
    'narrow/team.yaml': specs,
    'wide/team.yaml': wide,
    'open/team.yaml': wide.replace('https://login.example.com', 'https://login.example.net'),
    'lintel.lock.json': lock,
  });
  const codes = async (before: string, after: string) => {
    const runs = ['any', 'wider', 'alarm'].map(kind => diff(folder.path, before, after, '--fail-on', kind));
    return (await Promise.all(runs)).map(({ code }) => code);
  };
  expect(await codes('wide', 'wide')).toEqual([0, 0, 0]);
  expect(await codes('wide', 'narrow')).toEqual([1, 0, 0]);
  expect(await codes('narrow', 'wide')).toEqual([1, 1, 0]);
  expect(await codes('narrow', 'open')).toEqual([1, 1, 1]);
  // What is not known fails at every level.
  await rm(folder.file('lintel.lock.json'));
  expect(await codes('wide', 'narrow')).toEqual([3, 3, 3]);
});

test('`lintel diff` without a tool lock says that the comparison is not complete and exits with code 3', async () => {
  const specs = await readFile(join(ROOT, POLICIES, 'team.yaml'), 'utf8');
  const opened = specs.replace(/ +- \|\n +@id\("no-climate-for-interns"\)[\s\S]*?;\n/, '');
  await using folder = await temporaryFolder({ 'before/team.yaml': specs, 'after/team.yaml': opened });
  const { code, stderr } = await diff(folder.path, 'before', 'after');
  expect(code).toBe(3);
  expect(stderr).toContain('is not compared in full: not everything that its backends offer is known');
});

test('`lintel diff` compares specs, builds and exposure reports with each other', async () => {
  await using folder = await temporaryFolder({
    ...Object.fromEntries(Object.entries(CLEAN).map(([name, text]) => [`specs/${name}`, text])),
    'specs/company.yaml': REGISTRY,
    'lintel.lock.json': LOCK,
    'more/other.yaml': gateway('other'),
  });
  await runLintel(['build', 'specs', '--out', 'out'], { cwd: folder.path });
  await runLintel(['exposure', 'specs', '--format', 'json', '--output', 'report.json'], { cwd: folder.path });
  const sides = ['specs', 'out', 'report.json'];
  for (const before of sides) {
    for (const after of sides) {
      expect(await diff(folder.path, before, after)).toMatchObject({ code: 0, stderr: '' });
    }
  }
  const { bundles } = JSON.parse(await readFile(folder.file('out/index.json'), 'utf8')) as BundleIndex;
  const one = `out/${bundles.find(({ kind }) => kind === 'registry')?.path}/exposure.json`;
  const { code, stdout } = await diff(folder.path, 'out', one, '--format', 'json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    formatVersion: 1,
    differences: [
      { kind: 'gateway', name: 'eng', change: 'removed', classification: 'narrower' },
      { kind: 'registry', name: 'company', change: 'none', classification: 'equivalent' },
    ],
  });
});

describe('a build says which bundle it is about', () => {
  async function builds() {
    const folder = await temporaryFolder({
      ...Object.fromEntries(Object.entries(CLEAN).map(([name, text]) => [`specs/${name}`, text])),
      'lintel.lock.json': LOCK,
    });
    await runLintel(['build', 'specs', '--out', 'out'], { cwd: folder.path });
    const { bundles } = JSON.parse(await readFile(folder.file('out/index.json'), 'utf8')) as BundleIndex;
    return { folder, path: `out/${bundles[0]?.path}`, digest: bundles[0]?.digest ?? '' };
  }

  test('`lintel diff` and `lintel exposure` print the digest of a build in every format', async () => {
    const { folder, digest } = await builds();
    await using _ = folder;
    for (const format of ['pretty', 'markdown', 'html', 'json']) {
      expect((await diff(folder.path, 'specs', 'out', '--format', format)).stdout).toContain(digest);
      const shown = await runLintel(['exposure', 'specs', '--format', format], { cwd: folder.path });
      expect(shown.stdout).toContain(digest);
    }
    expect((await diff(folder.path, 'specs', 'specs')).stdout).not.toContain('sha256');
  });

  test.each([
    [
      'the exposure of another bundle',
      'exposure.json',
      (text: string) => text.replace(/"bundle": "sha256:../, '"bundle": "sha256:00'),
    ],
    [
      'another plan under the same digest',
      'exposure.json',
      (text: string) => text.replace('"timeoutMs": ', '"timeoutMs": 1'),
    ],
    ['another bundle', 'bundle.json', (text: string) => text.replace('"timeoutMs":', '"timeoutMs":1')],
  ])('`lintel diff` refuses a build in which the original content was replaced by %s', async (_, file, change) => {
    const { folder, path } = await builds();
    await using __ = folder;
    const place = folder.file(`${path}/${file}`);
    const text = await readFile(place, 'utf8');
    expect(change(text)).not.toBe(text);
    await writeFile(place, change(text));
    for (const side of ['out', path, `${path}/exposure.json`]) {
      const { code, stdout, stderr } = await diff(folder.path, 'specs', side);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^lintel: \S+\.json: .*: build the folder again, or compare the specs\n$/);
    }
  });

  test('`lintel diff` compares a build of an older version of Lintel, whose exposure.json lacks the digest of the bundle', async () => {
    const { folder, path } = await builds();
    await using _ = folder;
    const place = folder.file(`${path}/exposure.json`);
    const { bundle: digest, ...older } = JSON.parse(await readFile(place, 'utf8')) as { readonly bundle: string };
    expect(digest).toMatch(/^sha256:/);
    await writeFile(place, JSON.stringify(older));
    expect(await diff(folder.path, 'specs', 'out')).toMatchObject({ code: 0, stderr: '' });
  });
});

test('`lintel diff --catalog` uses the named tool lock for both folders of specs that it compares', async () => {
  const side = (name: string) =>
    Object.fromEntries(Object.entries(CLEAN).map(([file, text]) => [`${name}/${file}`, text]));
  await using folder = await temporaryFolder({ ...side('before'), ...side('after'), 'locks/tools.json': LOCK });
  expect((await diff(folder.path, 'before', 'after')).code).toBe(3);
  expect(await diff(folder.path, 'before', 'after', '--catalog', 'locks/tools.json')).toEqual({
    code: 0,
    stdout: 'no difference in 1 gateway or registry server\n',
    stderr: '',
  });
  expect((await diff(folder.path, 'before', 'after', '--catalog', 'nope.json')).code).toBe(2);
});

describe('specs outside of the working folder, as of an unpacked archive', () => {
  const specs = (folder: string) =>
    Object.fromEntries(Object.entries(CLEAN).map(([file, text]) => [`${folder}/specs/${file}`, text]));

  test('`lintel diff` uses the tool lock next to specs outside of the working folder', async () => {
    await using folder = await temporaryFolder({
      ...specs('now'),
      ...specs('before'),
      'now/lintel.lock.json': LOCK,
      'before/lintel.lock.json': LOCK.replace('"github","version":"1.0.0"', '"github","version":"0.9.0"'),
    });
    const { code, stdout, stderr } = await diff(folder.file('now'), '../before/specs', 'specs');
    expect([code, stdout]).toEqual([0, 'no difference in 1 gateway or registry server\n']);
    expect(stderr).toBe('lintel: using ../before/lintel.lock.json\n');
  });

  test('`lintel diff` says that it compares incompletely if no tool lock is next to specs outside of the working folder', async () => {
    await using folder = await temporaryFolder({
      ...specs('now'),
      ...specs('before'),
      'now/lintel.lock.json': LOCK,
    });
    const { code, stderr } = await diff(folder.file('now'), '../before/specs', 'specs');
    expect(code).toBe(3);
    expect(stderr).toContain(
      'lintel: there is no tool lock for ../before/specs, and the tool lock of another folder is not used for it\n',
    );
    const named = await diff(folder.file('now'), '../before/specs', 'specs', '--catalog', 'lintel.lock.json');
    expect([named.code, named.stderr]).toEqual([0, '']);
  });
});

test('`lintel diff --output` writes the comparison to a file and prints nothing', async () => {
  await using folder = await temporaryFolder({
    ...CLEAN,
    'lintel.lock.json': LOCK,
    'none.json': '{"formatVersion":1,"gateways":[],"registries":[]}',
  });
  const printed = await diff(folder.path, 'none.json', '.', '--format', 'markdown');
  expect(printed).toMatchObject({ code: 1, stderr: '' });
  expect(printed.stdout).toMatch(/^\*\*1 of 1 gateway or registry server differs: 1 wider/);
  const written = await diff(folder.path, 'none.json', '.', '--format', 'markdown', '--output', 'out.md');
  expect(written).toEqual({ code: 1, stdout: '', stderr: '' });
  expect(await readFile(folder.file('out.md'), 'utf8')).toBe(printed.stdout);
});

test('`lintel diff` exits with code 3 for a gateway with errors in only one of the folders, and does not report it as removed', async () => {
  const side = (name: string, files: { readonly [name: string]: string }) =>
    Object.fromEntries(Object.entries(files).map(([file, text]) => [`${name}/${file}`, text]));
  await using folder = await temporaryFolder({ ...side('before', CLEAN), ...side('after', WITH_ERROR) });
  const { code, stdout, stderr } = await diff(folder.path, 'before', 'after');
  expect([code, stdout]).toEqual([3, 'nothing could be compared\n']);
  expect(stderr).toContain('error[LNT1011]');
  expect(stderr).toContain(
    'lintel: default/eng is not compared: it has errors in after, so what it exposes is not known\n',
  );
});

const UNREADABLE = `${gateway('eng')} tabs:\n\t- are no indentation\n`;

test.each([
  ['errors', WITH_ERROR, 'default/eng is not compared: it has errors in after, so what it exposes is not known'],
  [
    'a file that is not YAML',
    { ...CLEAN, 'gateway.yaml': UNREADABLE },
    'default/eng is not compared: it is missing from the readable part of after',
  ],
])('`lintel diff` says in each format that a gateway with %s is not compared', async (_, files, why) => {
  const side = (name: string, all: { readonly [name: string]: string }) =>
    Object.fromEntries(Object.entries(all).map(([file, text]) => [`${name}/${file}`, text]));
  await using folder = await temporaryFolder({ ...side('before', CLEAN), ...side('after', files) });
  for (const format of ['markdown', 'json', 'html']) {
    const { code, stdout } = await diff(folder.path, 'before', 'after', '--format', format);
    expect(code).toBe(3);
    expect(stdout).toContain(why);
    expect(stdout).not.toMatch(/no difference|removed/i);
  }
  const { stdout } = await diff(folder.path, 'before', 'after');
  expect(stdout).toBe('nothing could be compared\n');
});

test.each([
  ['a path that does not exist', ['.', 'nope'], 'lintel: no such file or folder: nope\n'],
  [
    'a commit in place of a path',
    ['HEAD', 'specs'],
    'lintel: no such file or folder: HEAD; to compare with a commit: git worktree add ../base HEAD, and lintel diff ../base/specs specs\n',
  ],
  [
    'only one path',
    ['.'],
    "error: missing required argument 'after': the specs, bundle or exposure to compare with <before>\n(try 'lintel diff --help')\n",
  ],
  [
    'an exposure of another version',
    ['.', 'newer.json'],
    'lintel: nothing to check in newer.json: 1 file holds no object of the API groups that Lintel reads\n',
  ],
  [
    'an index that names a bundle outside of its folder',
    ['.', 'escape'],
    'lintel: escape/index.json: names a bundle outside of its folder: ../..\n',
  ],
  ['a build without exposures', ['.', 'bare'], 'lintel: no such file of exposure: bare/bundles/a/exposure.json\n'],
])('`lintel diff` exits with code 2 for %s', async (_, args, stderr) => {
  const index = (path: string) => JSON.stringify({ formatVersion: 1, bundles: [{ path }] });
  await using folder = await temporaryFolder({
    ...CLEAN,
    'newer.json': '{"formatVersion":2,"gateways":[],"registries":[]}',
    'escape/index.json': index('../..'),
    'bare/index.json': index('bundles/a'),
  });
  expect(await diff(folder.path, ...args)).toEqual({ code: 2, stdout: '', stderr });
});
