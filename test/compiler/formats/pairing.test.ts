import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { type OutputArgument, pairOutputs, writeOutput } from '../../../compiler/commands/outputs.ts';
import type { Format } from '../../../compiler/diagnostics/render/index.ts';
import { temporaryFolder } from '../../support/process.ts';

/** `f:` a format, `o:` an output, in the order of the arguments. */
function given(text: string): readonly OutputArgument[] {
  return text
    .split(' ')
    .filter(part => part !== '')
    .map(part => (part.startsWith('f:') ? { format: part.slice(2) as Format } : { file: part.slice(2) }));
}

function shown(text: string): string {
  return pairOutputs(given(text))
    .map(({ format, file }) => `${format}>${file ?? 'stdout'}`)
    .join(' ');
}

test.each([
  ['', 'pretty>stdout'],
  ['f:json', 'json>stdout'],
  ['f:json o:a', 'json>a'],
  ['o:a f:json', 'json>a'],
  ['f:pretty f:sarif o:a', 'pretty>stdout sarif>a'],
  ['f:sarif o:a f:pretty', 'sarif>a pretty>stdout'],
  ['f:json o:a f:sarif o:b', 'json>a sarif>b'],
  ['f:json f:sarif o:a o:b', 'json>a sarif>b'],
  ['f:json o:a f:json o:b', 'json>a json>b'],
])('lintel check pairs the options %j (f: format, o: output) as %j', (text, expected) => {
  expect(shown(text)).toBe(expected);
});

test.each([
  ['o:a', '1 --output for no --format: each --output needs a --format'],
  ['f:json o:a o:b', '2 --output for 1 --format: each --output needs a --format'],
  ['f:json f:sarif', 'standard output takes one format, not json and sarif: add --output <file>'],
  ['o:a f:json f:sarif', '--output a has no --format right before it'],
  ['f:json o:a o:b f:sarif f:junit', '--output b has no --format right before it'],
  ['f:json o:a f:sarif o:./a', 'two formats cannot be written to one file: ./a'],
])('lintel check refuses the options %j (f: format, o: output)', (text, message) => {
  expect(() => shown(text)).toThrow(message);
});

test('lintel check --output writes into new folders, and replaces an existing file', async () => {
  await using folder = await temporaryFolder({ 'old.json': 'old' });
  await writeOutput(folder.file('old.json'), 'new');
  await writeOutput(folder.file('deep/er/new.json'), 'new');
  expect(await readFile(folder.file('old.json'), 'utf8')).toBe('new');
  expect(await readdir(folder.path, { recursive: true })).toHaveLength(4);
});

test('lintel check --output with a symbolic link writes into the file that the link points to', async () => {
  await using folder = await temporaryFolder({ 'target.json': 'old' });
  await symlink('target.json', folder.file('link.json'));
  await writeOutput(folder.file('link.json'), 'new');
  expect(await readFile(folder.file('target.json'), 'utf8')).toBe('new');
});

test('lintel check --output refuses a folder and a device', async () => {
  await using folder = await temporaryFolder();
  await mkdir(folder.file('folder'));
  for (const [file, why] of [
    [folder.file('folder'), 'it is a folder; give a file in it'],
    ['/dev/null', 'it is not a regular file'],
  ] as const) {
    await expect(writeOutput(file, 'text')).rejects.toThrow(`cannot write to ${file}: ${why}`);
  }
});
