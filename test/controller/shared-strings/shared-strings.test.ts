import { readFile, rm } from 'node:fs/promises';
import { writeHeapSnapshot } from 'node:v8';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shareStrings } from '../../../controller/tuning/shared-strings.ts';
import { temporaryFolder } from '../../support/process.ts';

test('a cached object with shared strings keeps its content, for any JSON value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const text = JSON.stringify(value);
      expect(JSON.stringify(shareStrings(JSON.parse(text)))).toBe(text);
    }),
    { seed: 7 },
  );
});

test('equal strings of many cached objects share memory', async () => {
  const word = `shared-${'in-this-test'.repeat(2)}`;
  const kept = Array.from({ length: 1_000 }, () => shareStrings(JSON.parse(JSON.stringify({ a: [word], b: word }))));
  await using folder = await temporaryFolder();
  const file = writeHeapSnapshot(folder.file('heap.heapsnapshot'));
  const { nodes, strings, snapshot } = JSON.parse(await readFile(file, 'utf8'));
  await rm(file);
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const at = { type: fields.indexOf('type'), name: fields.indexOf('name') };
  let count = 0;
  for (let node = 0; node < nodes.length; node += fields.length)
    if (types[0][nodes[node + at.type]] === 'string' && strings[nodes[node + at.name]] === word) count++;
  expect(kept).toHaveLength(1_000);
  expect(count).toBeLessThan(10);
});
