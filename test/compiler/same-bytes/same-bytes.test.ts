/** The same sources give the same bytes, in any folder, at any time, and in any order in which they are read. */
import { readdirSync, readFileSync } from 'node:fs';
import { homedir, hostname, tmpdir, userInfo } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { ROOT, run, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import {
  type Files,
  oneText,
  renamed,
  SOURCES,
  withComments,
  withCrlf,
  withDocumentsReversed,
  withKeysReversed,
} from './sources.ts';

interface Build {
  readonly files?: Files;
  /** The PATH arguments and the working directory for a folder of sources. */
  readonly paths?: (folder: TemporaryFolder) => readonly string[];
  readonly cwd?: (folder: TemporaryFolder) => string;
  readonly env?: { readonly [name: string]: string };
  readonly input?: string;
}

/** Builds the sources and returns the content of every file that was written, by its path. */
async function build({ files = SOURCES, paths = () => ['.'], cwd, env = {}, input }: Build): Promise<Files> {
  await using folder = await temporaryFolder(files);
  await using out = await temporaryFolder();
  const { code, stderr } = await runLintel(['build', ...paths(folder), '--out', out.path], {
    cwd: cwd?.(folder) ?? folder.path,
    env,
    ...(input === undefined ? {} : { input }),
  });
  // The servers of the sample ask callers for no token, which is a hint alone.
  expect(stderr).toMatch(/^hint\[LNT4027\][\s\S]*\n2 hints in /);
  expect(stderr).not.toMatch(/^(?:error|warning)\[/m);
  expect(code).toBe(0);
  return treeOf(out.path);
}

function treeOf(folder: string): Files {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
  return Object.fromEntries(files.sort().map(file => [relative(folder, file), readFileSync(file, 'latin1')]));
}

const NAMES = Object.keys(SOURCES).sort();
const plain = await build({});

const rows: readonly (readonly [name: string, build: Build])[] = [
  ['repeated', {}],
  ['from another folder by absolute paths', { paths: folder => [folder.path], cwd: tmpdir }],
  ['from another folder by relative paths', { paths: folder => [relative(ROOT, folder.path)], cwd: () => ROOT }],
  ['of files given one by one', { paths: () => NAMES }],
  ['of files given in reverse order', { paths: () => NAMES.toReversed() }],
  ['of files given twice', { paths: folder => ['.', ...NAMES, folder.path] }],
  ['of standard input', { files: {}, paths: () => ['-'], input: oneText(SOURCES) }],
  ['of renamed files', { files: renamed(SOURCES) }],
  ['of documents in another order', { files: withDocumentsReversed(SOURCES) }],
  ['of keys in another order', { files: withKeysReversed(SOURCES) }],
  ['of files with Windows line breaks', { files: withCrlf(SOURCES) }],
  ['of files with comments and empty lines', { files: withComments(SOURCES) }],
  ['in another time zone and Turkish', { env: { TZ: 'Asia/Kolkata', LANG: 'tr_TR.UTF-8' } }],
  ['in German', { env: { LC_ALL: 'de_DE.UTF-8', LANGUAGE: 'de' } }],
  ['by another user', { env: { USER: 'somebody', LOGNAME: 'somebody', HOME: '/nowhere', HOSTNAME: 'elsewhere' } }],
];

describe('same bytes', () => {
  test('lintel build makes two gateways, two servers and an index from the sample sources of this test', () => {
    expect(Object.keys(plain).map(path => path.replace(/[0-9a-f]{64}/, '…'))).toEqual([
      'bundles/eng/a.c/sha256-…/bundle.json',
      'bundles/eng/a.c/sha256-…/exposure.json',
      'bundles/eng/a9/sha256-…/bundle.json',
      'bundles/eng/a9/sha256-…/exposure.json',
      'bundles/eng/i/sha256-…/bundle.json',
      'bundles/eng/i/sha256-…/exposure.json',
      'bundles/ops/ops/sha256-…/bundle.json',
      'bundles/ops/ops/sha256-…/exposure.json',
      'index.json',
    ]);
    const [, eng = ''] = Object.entries(plain).find(([path]) => path.startsWith('bundles/eng/i/')) ?? [];
    const { backends } = JSON.parse(eng) as { backends: { name: string }[] };
    expect(backends.map(({ name }) => name)).toEqual(['a-b', 'a.c', 'a10', 'a9', 'ab', 'static', 'z']);
  });

  test.each(rows)('lintel build writes the same bytes %s', async (_, again) => {
    expect(await build(again)).toEqual(plain);
  });

  test('lintel build leaves the same bytes in its output folder when it builds the same specs again', async () => {
    await using folder = await temporaryFolder(SOURCES);
    for (const _ of [1, 2]) await runLintel(['build', '.', '--out', 'out'], { cwd: folder.path });
    expect(treeOf(folder.file('out'))).toEqual(plain);
  });

  test.each([
    ['LANG', { LANG: 'tr_TR.UTF-8' }, 'tr'],
    ['LC_ALL', { LC_ALL: 'de_DE.UTF-8' }, 'de'],
  ])(
    'the environment variable %s changes the locale of a program, as the tests of same bytes assume',
    async (_, env, language) => {
      await using folder = await temporaryFolder({
        'locale.mjs': 'console.log(Intl.DateTimeFormat().resolvedOptions().locale)',
      });
      expect((await run(folder.file('locale.mjs'), [], { env })).stdout).toMatch(new RegExp(`^${language}`));
    },
  );
});

describe('traces of the machine in the build', () => {
  const bytes = Object.entries(plain).flat().join('\n');

  test.each([
    ['temporary folder', tmpdir()],
    ['package', ROOT],
    ['home', join(homedir(), 'x').slice(0, -1)],
    ['Node', process.version],
  ])('the build contains no path or version of the machine that builds it: %s', (_, text) => {
    if (text.length > 1) expect(bytes).not.toContain(text);
  });

  test.each([
    ['host name', hostname()],
    ['user name', userInfo().username],
  ])('the build does not contain the %s of the machine that builds it', (_, word) => {
    expect(bytes.split(/[^\w.-]+/)).not.toContain(word);
  });
});
