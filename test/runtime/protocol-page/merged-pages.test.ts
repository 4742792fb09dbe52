/** Pages to which many changes add: a merge must not duplicate an item, or put a part of one into another. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');

test.each(['CHANGELOG.md', 'runtime/PROTOCOL.md', 'runtime/README.md'])(
  'no line of more than 40 characters occurs twice in %s',
  async page => {
    const lines = (await readFile(resolve(ROOT, page), 'utf8')).split('\n').filter(line => line.length > 40);
    expect(lines.filter((line, at) => lines.indexOf(line) !== at)).toEqual([]);
  },
);

test('no two items of the changelog begin with the same subject', async () => {
  const items = (await readFile(resolve(ROOT, 'CHANGELOG.md'), 'utf8')).split(/^- /m).slice(1);
  const subjects = items.map(item => /^\*\*(.+?)\*\*/s.exec(item)?.[1] ?? item.split('\n')[0]);
  expect(subjects.filter((subject, at) => subjects.indexOf(subject) !== at)).toEqual([]);
  expect(items.filter(item => !/[.!)]\**\n*$/.test(item))).toEqual([]);
});
