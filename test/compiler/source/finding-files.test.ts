import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findFiles, findLine, readSources, UsageError } from '#compiler';
import { line } from './reading.ts';

let cwd: string;

beforeEach(() => {
  cwd = realpathSync(mkdtempSync(path.join(tmpdir(), 'lintel-files-')));
  for (const file of [
    'b.yaml',
    'a.yml',
    'C.json',
    'notes.txt',
    'sub/d.YAML',
    'sub/deep/e.yaml',
    'sub.yaml',
    '.git/f.yaml',
    'sub/.hidden/g.yaml',
    'node_modules/h.yaml',
    'sub/node_modules/i.yaml',
  ]) {
    mkdirSync(path.join(cwd, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(cwd, file), file.endsWith('.json') ? '{}' : `name: ${file}\n`);
  }
});

afterEach(() => {
  rmSync(cwd, { recursive: true, force: true });
});

function shown(args: string[], confinedTo?: string): string[] {
  const { files, diagnostics } = findFiles(args, confinedTo === undefined ? { cwd } : { cwd, confinedTo });
  return [...files.map(file => file.path), ...diagnostics.map(found => `${found.file}: ${line(found)}`)];
}

const ALL = ['C.json', 'a.yml', 'b.yaml', 'sub.yaml', 'sub/d.YAML', 'sub/deep/e.yaml'];

test.each<[name: string, args: string[], files: string[]]>([
  ['a folder', ['.'], ALL],
  ['one folder by several paths', ['./sub/..', 'sub', './a.yml'], ALL],
  ['a folder with a slash at the end', ['sub/'], ['sub/d.YAML', 'sub/deep/e.yaml']],
  ['files in any order', ['b.yaml', './a.yml', 'b.yaml'], ['a.yml', 'b.yaml']],
  ['a file without a known extension', ['notes.txt'], ['notes.txt']],
  ['a hidden folder as an argument', ['.git'], ['.git/f.yaml']],
  ['standard input', ['-', 'b.yaml', '-'], ['<stdin>', 'b.yaml']],
  ['no arguments', [], []],
])('lintel check finds the expected files for %s', (_, args, files) => {
  expect(shown(args)).toEqual(files);
});

test('lintel check names a file by a relative or an absolute path as its argument does, even above the working directory', () => {
  const options = { cwd: path.join(cwd, 'sub/deep') };
  const files = findFiles(['../d.YAML', path.join(cwd, 'sub/deep')], options).files;
  expect(files).toEqual([
    { path: '../d.YAML', absolute: path.join(cwd, 'sub/d.YAML'), isNamed: true },
    { path: `${cwd}/sub/deep/e.yaml`, absolute: path.join(cwd, 'sub/deep/e.yaml') },
  ]);
});

test('lintel check reads a file once even if several symbolic links lead to it, and ends if a link leads to a parent folder', () => {
  symlinkSync('../..', path.join(cwd, 'sub/deep/loop'));
  symlinkSync('b.yaml', path.join(cwd, 'z.yaml'));
  symlinkSync('sub/deep', path.join(cwd, 'aaa'));
  expect(shown(['.'])).toEqual(['C.json', 'a.yml', 'aaa/e.yaml', 'b.yaml', 'sub.yaml', 'sub/d.YAML']);
});

test('lintel check reports symbolic links that lead to no file or in a circle', () => {
  symlinkSync('nowhere', path.join(cwd, 'broken.yaml'));
  symlinkSync('circle.yaml', path.join(cwd, 'circle.yaml'));
  symlinkSync('nowhere', path.join(cwd, 'not-ours'));
  expect(shown(['.']).slice(ALL.length)).toEqual([
    'broken.yaml: LNT1018 1:1-1:1 cannot be read: it does not exist, or is a link to a file that does not exist',
    'circle.yaml: LNT1018 1:1-1:1 cannot be read: links lead in a circle',
  ]);
});

test('a search for files that is confined to a folder reports symbolic links that lead out of this folder', () => {
  symlinkSync('../b.yaml', path.join(cwd, 'sub/out.yaml'));
  symlinkSync('..', path.join(cwd, 'sub/up'));
  symlinkSync('deep/e.yaml', path.join(cwd, 'sub/in.yaml'));
  expect(shown(['sub'], path.join(cwd, 'sub'))).toEqual([
    'sub/d.YAML',
    'sub/deep/e.yaml',
    'sub/out.yaml: LNT1018 1:1-1:1 cannot be read: the link leads out of the source folder',
    'sub/up: LNT1018 1:1-1:1 cannot be read: the link leads out of the source folder',
  ]);
});

test.each(['nope.yaml', 'b.yaml/c.yaml', 'nope/'])(
  'lintel check refuses the missing path %s as a usage error',
  argument => {
    const find = (): unknown => findFiles(['b.yaml', argument], { cwd });
    expect(find).toThrow(UsageError);
    expect(find).toThrow(`no such file or folder: ${argument}`);
  },
);

test('lintel check reads all files, and an unreadable file makes the check incomplete', () => {
  writeFileSync(path.join(cwd, 'bad.yaml'), Buffer.from([0x61, 0xff]));
  const { files } = findFiles(['b.yaml', 'bad.yaml', '-'], { cwd });
  const gone = { path: 'gone.yaml', absolute: path.join(cwd, 'gone.yaml') };
  const sources = readSources([...files, gone], () => Buffer.from('from: stdin\n---\na: [\n'));
  expect(sources.documents.map(({ file, value }) => [file, value])).toEqual([
    ['<stdin>', { from: 'stdin' }],
    ['b.yaml', { name: 'b.yaml' }],
  ]);
  expect(sources.diagnostics.map(found => [found.file, found.code])).toEqual([
    ['<stdin>', 'LNT1001'],
    ['bad.yaml', 'LNT1018'],
    ['gone.yaml', 'LNT1018'],
  ]);
  expect([sources.files, sources.complete]).toEqual([4, false]);
  expect(findLine(sources, '<stdin>', 3)).toEqual({ text: 'a: [', offset: 16 });
  expect(findLine(sources, 'bad.yaml', 1)).toBeUndefined();
  expect(readSources(files.slice(0, 1), () => Buffer.from('a: [')).complete).toBe(true);
});
