/** What prevents the release of a working tree. */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findProblems } from '../../build/release/problems.ts';
import { findOtherVersions } from '../../build/release/versions.ts';
import { ROOT, type TemporaryFolder, temporaryFolder } from '../support/process.ts';

const VERSION: string = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;

const FILES = [
  'package.json',
  'package-lock.json',
  'CHANGELOG.md',
  'schemas/version.ts',
  'editors/vscode/package.json',
  'controller/install/{kustomization,deployment}.yaml',
  '{bridge,compiler,controller,runtime}/Containerfile',
  'docs/images.md',
  'docs/install.md',
];

let folder: TemporaryFolder;
beforeAll(async () => {
  const paths = FILES.flatMap(pattern => globSync(pattern, { cwd: ROOT }));
  folder = await temporaryFolder(Object.fromEntries(paths.map(path => [path, readFileSync(join(ROOT, path), 'utf8')])));
  git('init', '--quiet');
  git('add', '--all');
  git('-c', 'user.name=test', '-c', 'user.email=test@example.com', 'commit', '--quiet', '--message=all');
});
afterAll(() => folder[Symbol.asyncDispose]());

function git(...args: readonly string[]): void {
  execFileSync('git', args, { cwd: folder.path, stdio: 'pipe' });
}

test('all files that name a version of Lintel name the current version', () => {
  expect(findOtherVersions(ROOT)).toEqual([]);
});

test.each([
  ['package-lock.json', '"version": "', 1],
  ['package-lock.json', '"name": "lintel",\n      "version": "', 1],
  ['package-lock.json', '"name": "vscode-lintel",\n      "version": "', 1],
  ['CHANGELOG.md', '## ', 1],
  ['schemas/version.ts', "VERSION = '", 1],
  ['editors/vscode/package.json', '"version": "', 1],
  ['controller/install/kustomization.yaml', 'newTag: ', 1],
  ['controller/install/deployment.yaml', '--image=registry.example.com/lintel-runtime:', 1],
  ['controller/install/deployment.yaml', '--bridge-image=registry.example.com/lintel-bridge:', 1],
  ['runtime/Containerfile', 'image.version="', 2],
  ['docs/images.md', '-t lintel-controller:', 1],
  ['docs/install.md', 'release/lintel-', 1],
])(
  'the release check reports a wrong version in %s behind the text %j, with the number of its line',
  async (file, before, count) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const at = text.indexOf(before + VERSION);
    expect(at).toBeGreaterThan(-1);
    await folder.write({ [file]: text.replaceAll(before + VERSION, () => `${before}9.9.9`) });
    try {
      const found = findOtherVersions(folder.path);
      expect(found.slice(0, count).map(({ version }) => version)).toEqual(Array(count).fill('9.9.9'));
      expect(found[0]).toMatchObject({ file, line: text.slice(0, at + before.length).split('\n').length });
    } finally {
      await folder.write({ [file]: text });
    }
  },
);

test('the release check reports a file that lacks the version it should name, and a file that differs from the commit', async () => {
  expect(findProblems(folder.path, false)).toEqual([]);
  await folder.write({ 'schemas/version.ts': 'export {};\n' });
  expect(findProblems(folder.path, false)).toEqual([
    'files differ from the commit (--allow-changes goes on):\n M schemas/version.ts',
    `schemas/version.ts: no version was found here, and ${VERSION} was expected`,
  ]);
  expect(findProblems(folder.path, true)).toHaveLength(1);
});
