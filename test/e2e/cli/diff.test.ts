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

/** The lock of the specs' backend, which offers nothing. */
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

test('equal specs give exit code 0', async () => {
  expect(await diff(ROOT, POLICIES, POLICIES)).toEqual({
    code: 0,
    stdout: 'no difference in 1 gateway or registry server\n',
    stderr: 'lintel: using examples/policies/lintel.lock.json\n',
  });
});

test('a wider policy gives exit code 1 and the output in the README', async () => {
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

test('--fail-on ends with exit code 1 for the kind of difference that it names', async () => {
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

test('without a tool lock the comparison is incomplete, with exit code 3', async () => {
  const specs = await readFile(join(ROOT, POLICIES, 'team.yaml'), 'utf8');
  const opened = specs.replace(/ +- \|\n +@id\("no-climate-for-interns"\)[\s\S]*?;\n/, '');
  await using folder = await temporaryFolder({ 'before/team.yaml': specs, 'after/team.yaml': opened });
  const { code, stderr } = await diff(folder.path, 'before', 'after');
  expect(code).toBe(3);
  expect(stderr).toContain('is not compared in full: not everything that its backends offer is known');
});

test('folders of specs, of a build, and reports are compared with each other', async () => {
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

  test('diff and exposure print the digest in every format', async () => {
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
  ])('%s in place of the bundle is an error', async (_, file, change) => {
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

  test('a build of a version that did not write the digest is compared as before', async () => {
    const { folder, path } = await builds();
    await using _ = folder;
    const place = folder.file(`${path}/exposure.json`);
    const { bundle: digest, ...older } = JSON.parse(await readFile(place, 'utf8')) as { readonly bundle: string };
    expect(digest).toMatch(/^sha256:/);
    await writeFile(place, JSON.stringify(older));
    expect(await diff(folder.path, 'specs', 'out')).toMatchObject({ code: 0, stderr: '' });
  });
});

test('a tool lock elsewhere is used for the specs of both sides', async () => {
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

  test('have the tool lock that lies next to them', async () => {
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

  test('have no tool lock if there is none next to them, and are compared incompletely', async () => {
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

test('--output writes the document, and no other output, to a file', async () => {
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

test('a gateway with errors on one side is not compared and does not count as removed, with exit code 3', async () => {
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
    'a file that is no YAML',
    { ...CLEAN, 'gateway.yaml': UNREADABLE },
    'default/eng is not compared: it is missing from the readable part of after',
  ],
])('each format says that a gateway with %s is unknown', async (_, files, why) => {
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
  ['a path that is not there', ['.', 'nope'], 'lintel: no such file or folder: nope\n'],
  [
    'a commit',
    ['HEAD', 'specs'],
    'lintel: no such file or folder: HEAD; to compare with a commit: git worktree add ../base HEAD, and lintel diff ../base/specs specs\n',
  ],
  [
    'one path',
    ['.'],
    "error: missing required argument 'after': the specs, bundle or exposure to compare with <before>\n(try 'lintel diff --help')\n",
  ],
  [
    'an exposure of another version',
    ['.', 'newer.json'],
    'lintel: nothing to check in newer.json: 1 file holds no object of the API groups that Lintel reads\n',
  ],
  [
    'an index that names what is elsewhere',
    ['.', 'escape'],
    'lintel: escape/index.json: names a bundle outside of its folder: ../..\n',
  ],
  ['a build without exposures', ['.', 'bare'], 'lintel: no such file of exposure: bare/bundles/a/exposure.json\n'],
])('%s is a mistake in the call', async (_, args, stderr) => {
  const index = (path: string) => JSON.stringify({ formatVersion: 1, bundles: [{ path }] });
  await using folder = await temporaryFolder({
    ...CLEAN,
    'newer.json': '{"formatVersion":2,"gateways":[],"registries":[]}',
    'escape/index.json': index('../..'),
    'bare/index.json': index('bundles/a'),
  });
  expect(await diff(folder.path, ...args)).toEqual({ code: 2, stdout: '', stderr });
});
