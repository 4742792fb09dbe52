/** The pages of rules for workflows and for the optimizer list each field, and name existing tests. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
}

/** Properties of an output are recursive: nested ones count as one. */
const NESTED = 'output.properties.*.properties';

function leaves(schema: Schema, path: string): string[] {
  if (path === NESTED) return [path];
  const { properties, items, additionalProperties: values } = schema;
  if (properties !== undefined)
    return Object.entries(properties).flatMap(([name, inner]) => leaves(inner, path === '' ? name : `${path}.${name}`));
  if (items !== undefined) return leaves(items, `${path}[]`);
  return typeof values === 'object' ? leaves(values, `${path}.*`) : [path];
}

const titles = new Map<string, ReadonlySet<string>>();

/** Titles in a test file, and those of the rows of its tables. */
function titlesOf(file: string): ReadonlySet<string> {
  let found = titles.get(file);
  if (found === undefined) {
    const text = readFileSync(join(ROOT, 'test', `${file}.test.ts`), 'utf8');
    const texts = text.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g);
    found = new Set([...texts].map(([, single, double, back]) => single ?? double ?? back ?? ''));
    titles.set(file, found);
  }
  return found;
}

const schema = JSON.parse(readFileSync(join(ROOT, 'schemas/generated/json/virtualmcpserver.json'), 'utf8')) as Schema;
const config = schema.properties?.spec?.properties?.config?.properties ?? {};

describe.each([
  ['workflow', config.compositeTools?.items ?? {}],
  ['optimizer', config.optimizer ?? {}],
])('RULES.md of the %s', (folder, fields) => {
  const page = readFileSync(join(ROOT, `runtime/gateway/${folder}/RULES.md`), 'utf8');
  const rows = [...page.matchAll(/^\| (.+?) \| `([\w/-]+)` \| (.+) \|$/gm)].map(
    ([, what = '', file = '', title = '']) => ({ what, file, title }),
  );

  test('the tests read each line of the tables in RULES.md as a row', () => {
    expect(rows).toHaveLength(page.split('\n').filter(line => /^\| (?!Field|Rule)/.test(line)).length);
  });

  test('each field of the schema has a row in RULES.md', () => {
    const named = rows.flatMap(({ what }) => what.match(/^`([^` ]+)`$/)?.[1] ?? []);
    expect(named.toSorted()).toEqual(leaves(fields, '').toSorted());
  });

  test.each(rows.map(row => [row.what, row] as const))(
    'RULES.md names an existing test for its row "%s"',
    (_, { file, title }) => {
      expect(titlesOf(file)).toContain(title);
    },
  );
});
