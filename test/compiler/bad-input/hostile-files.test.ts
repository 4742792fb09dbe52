/** Files and folders that cannot be read, or hardly: each gives its finding within a time limit. */
import { closeSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findFiles, readSources, SourceText } from '#compiler';
import { MAX_FILE_BYTES } from '../../../compiler/source/limits.ts';
import { readBytes } from '../../../compiler/source/read-bytes.ts';
import { gateway } from '../../support/rule.ts';
import { type Compiled, compileSources, expectSound, inTime, listCodes } from './compiling.ts';

const MEGABYTE = 2 ** 20;
/** Limit on processor time; milliseconds. It is long, because the operating system needs a while for so many files. */
const MANY_FILES_MS = 100_000;

let cwd: string;

beforeEach(() => {
  cwd = realpathSync(mkdtempSync(path.join(tmpdir(), 'lintel-hostile-')));
});

afterEach(() => {
  rmSync(cwd, { recursive: true, force: true });
});

/** Compiles like `lintel check .`. */
function compileFolder(): Compiled {
  const found = findFiles(['.'], { cwd });
  const read = readSources(found.files, () => Buffer.alloc(0));
  const diagnostics = [...found.diagnostics, ...read.diagnostics];
  return compileSources({ ...read, diagnostics, complete: read.complete && found.diagnostics.length === 0 });
}

const place = (name: string): string => path.join(cwd, name);
const write = (name: string, bytes: string | Uint8Array): void => writeFileSync(place(name), bytes);
const sound = gateway('incomingAuth: { type: anonymous }');

const cases: readonly [name: string, make: () => void, codes: readonly string[]][] = [
  ['a file of 9 MB', () => write('x.yaml', Buffer.alloc(9 * MEGABYTE, 'x')), ['LNT1017']],
  ['a NUL byte', () => write('x.yaml', `${sound}# \0\n`), ['LNT1018']],
  ['8 MB of NUL bytes', () => write('x.yaml', Buffer.alloc(8 * MEGABYTE)), ['LNT1018']],
  ['invalid UTF-8', () => write('x.yaml', Buffer.from([0x61, 0x3a, 0x20, 0xc3, 0x28])), ['LNT1018']],
  ['8 MB of invalid UTF-8', () => write('x.yaml', Buffer.alloc(8 * MEGABYTE, 0xff)), ['LNT1018']],
  ['8 MB of U+FFFD, then invalid UTF-8', () => write('x.yaml', manyReplacements()), ['LNT1018']],
  ['half a surrogate pair in UTF-8', () => write('x.yaml', Buffer.from([0xed, 0xa0, 0x80])), ['LNT1018']],
  ['UTF-16', () => write('x.yaml', Buffer.from(`\ufeff${sound}`, 'utf16le')), ['LNT1018']],
  ['a link to nothing', () => symlinkSync('nowhere', place('x.yaml')), ['LNT1018']],
  ['a link to itself', () => symlinkSync('x.yaml', place('x.yaml')), ['LNT1018']],
  ['two links to one another', linkInCircle, ['LNT1018']],
  ['a link to a device without end', () => symlinkSync('/dev/zero', place('x.yaml')), []],
  ['a folder with the name of a file', () => mkdirSync(place('x.yaml')), []],
  ['a folder that links to the one above', () => symlinkSync('..', placeIn('sub', 'up')), []],
];

function manyReplacements(): Uint8Array {
  const bytes = Buffer.from('\ufffd'.repeat(1000));
  return Buffer.concat([bytes, Buffer.from([0xff])]);
}

function linkInCircle(): void {
  symlinkSync('b.yaml', place('a.yaml'));
  symlinkSync('a.yaml', place('b.yaml'));
}

function placeIn(folder: string, name: string): string {
  mkdirSync(place(folder));
  return path.join(place(folder), name);
}

test.each(cases)('lintel check survives %s, and compiles a valid file next to it', (_, make, codes) => {
  make();
  write('sound.yaml', sound);
  const compiled = inTime(compileFolder);
  expectSound(compiled);
  expect(listCodes(compiled).filter(code => code.startsWith('LNT10'))).toEqual(codes);
  // The other file is still checked.
  expect(compiled.compilation.checked).toMatchObject({ objects: 1, complete: codes.length === 0 });
});

test('lintel check reports a file that disappears, or becomes a folder, after it was found', () => {
  mkdirSync(place('folder.yaml'));
  const files = ['folder.yaml', 'gone.yaml'].map(name => ({ path: name, absolute: place(name) }));
  const compiled = compileSources(readSources(files, () => Buffer.alloc(0)));
  expect(listCodes(compiled)).toEqual(['LNT1018']);
  expect(compiled.compilation.findings.diagnostics).toHaveLength(2);
});

test('lintel check reports an argument that is an endless device such as /dev/zero', () => {
  const compiled = inTime(() =>
    compileSources(readSources([{ path: 'zero', absolute: '/dev/zero' }], () => Buffer.alloc(0))),
  );
  expect(listCodes(compiled)).toEqual(['LNT1017']);
});

test('lintel check reports standard input that never ends', () => {
  const zero = openSync('/dev/zero', 'r');
  const files = [{ path: '<stdin>', absolute: null }];
  const compiled = inTime(() => compileSources(readSources(files, () => readBytes(zero, MAX_FILE_BYTES))));
  closeSync(zero);
  expect(listCodes(compiled)).toEqual(['LNT1017']);
});

test('lintel check reports a folder of more than 20,000 files', () => {
  for (let number = 0; number < 20_001; number += 1) write(`${number}.yaml`, '');
  const compiled = inTime(compileFolder, MANY_FILES_MS);
  expect(listCodes(compiled)).toEqual(['LNT1017']);
  expect(compiled.compilation.checked).toMatchObject({ files: 20_000, complete: false });
});

test('lintel check reads a file with control characters in its name', () => {
  const name = 'a\u001b[31m\n.yaml';
  write(name, 'a: [');
  const compiled = compileFolder();
  expect(listCodes(compiled)).toEqual(['LNT1001']);
  expect(compiled.sources.texts.get(name)).toBeInstanceOf(SourceText);
});
