/** FIELDS.md lists each field of `authServerConfig`, and names an existing test. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testTitles } from './test-titles.ts';

const ROOT = join(import.meta.dirname, '../../..');

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
}

function leaves(schema: Schema, path: string): string[] {
  const { properties, items, additionalProperties: values } = schema;
  if (properties !== undefined)
    return Object.entries(properties).flatMap(([name, inner]) => leaves(inner, path === '' ? name : `${path}.${name}`));
  if (items !== undefined) return leaves(items, `${path}[]`);
  return typeof values === 'object' ? leaves(values, `${path}.*`) : [path];
}

const rows = [
  ...readFileSync(join(ROOT, 'runtime/authserver/FIELDS.md'), 'utf8').matchAll(/^\| `(.+?)` \| `(.+?)` \| (.+) \|$/gm),
].map(([, field = '', file = '', title = '']) => ({ field, file, title }));

test('FIELDS.md of the authorization server has a row for each field of authServerConfig', () => {
  const schema = JSON.parse(readFileSync(join(ROOT, 'schemas/generated/json/virtualmcpserver.json'), 'utf8')) as Schema;
  const fields = leaves(schema.properties?.spec?.properties?.authServerConfig ?? {}, '');
  expect(fields.length).toBeGreaterThan(100);
  expect(rows.map(({ field }) => field)).toEqual(fields);
});

test.each(rows.map(row => [row.field, row] as const))(
  'FIELDS.md of the authorization server names an existing test for %s',
  (_, { file, title }) => {
    expect(testTitles(file)).toContain(title);
  },
);
