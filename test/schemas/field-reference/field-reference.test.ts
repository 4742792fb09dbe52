import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { formatCode } from '../../../schemas/generate/facts.ts';
import { formatCell } from '../../../schemas/generate/markdown.ts';
import { formatReferencePage } from '../../../schemas/generate/reference.ts';
import { walk } from '../../../schemas/generate/structural-schema.ts';
import { toStructural } from '../../../schemas/generate/to-structural.ts';
import { fields, type KindDefinition, listMap, oneOf, record } from '../../../schemas/kinds/define.ts';
import { KINDS } from '../../../schemas/kinds/index.ts';

const CELLS: readonly (readonly [markdown: string, expected: string])[] = [
  ['a|b', 'a\\|b'],
  ['`^(a|b)$`', '`^(a\\|b)$`'],
  ['a\n\nb', 'a b'],
  ['the <name> of', 'the &lt;name> of'],
  ['`<name>` and <b>', '`<name>` and &lt;b>'],
  ['`` a`<b> `` <c>', '`` a`<b> `` &lt;c>'],
];
test.each(CELLS)('a table cell of the field reference escapes %j', (markdown, expected) =>
  expect(formatCell(markdown)).toBe(expected),
);

test.each([
  ['a', '`a`'],
  ['a`b', '`` a`b ``'],
  ['``', '``` `` ```'],
])('the field reference writes %j as a code span', (text, expected) => expect(formatCode(text)).toBe(expected));

const x = { description: 'x' };
const tree = fields('Tree', { next: Type.Optional(fields('Tree', {}, x)) }, x);
const widget: KindDefinition = {
  kind: 'Widget',
  plural: 'widgets',
  singular: 'widget',
  shortNames: ['wg'],
  description: 'A test kind.',
  printerColumns: [{ name: 'Phase', type: 'string', jsonPath: '.status.phase' }],
  specRequired: true,
  spec: fields(
    'WidgetSpec',
    {
      mode: oneOf(['a|b', 'c'], { description: 'How.', default: 'c' }),
      rows: Type.Optional(listMap(fields('Row', { name: Type.String({ ...x, maxLength: 9 }) }, x), ['name'], x)),
      old: Type.Optional(Type.Boolean({ description: 'Unused.', deprecated: true })),
      ports: Type.Optional(record(Type.Integer({ minimum: 1, maximum: 9 }), x)),
      tree,
    },
    { description: 'Spec.', rules: [{ rule: 'a || b', message: 'one of them' }] },
  ),
  status: fields('WidgetStatus', { phase: Type.Optional(Type.String(x)) }, { description: 'Status.' }),
};

describe('a kind', () => {
  const text = formatReferencePage([widget]);
  test.each([
    ['the table of contents', '- [Widget](#widget)'],
    ['names', 'Resource `widgets.lintel.dev`; short names `wg`. `spec` is required.'],
    ['an enum with its default', '| `spec.mode` | string | yes | One of `a\\|b`, `c`. Default: `"c"` | How. |'],
    ['a list', '| `spec.rows` | list of object |  | Items are unique by `name` | x |'],
    ['a field of its items', '| `spec.rows[].name` | string | yes | Length: at most 9 characters | x |'],
    ['a deprecated field', '| `spec.old` | boolean |  |  | **Deprecated.** Unused. |'],
    ['a map of scalars', '| `spec.ports` | map of integer |  | Each: Value: 1 to 9 | x |'],
    ['a type inside itself', '| `spec.tree.next` | object |  |  | x Has the fields of `spec.tree`. |'],
    ['a rule', '| `spec` | `a \\|\\| b` | one of them |'],
    ['a column', '| Phase | string | `.status.phase` |'],
  ])('the field reference of a kind has %s', (_, line) => expect(text.split('\n')).toContain(line));
});

test('every row of the field reference has as many cells as the table head, and every field has a description', () => {
  const rows = formatReferencePage(KINDS)
    .split('\n')
    .filter(line => line.startsWith('|'));
  const cells = rows.map(row => row.match(/(?<!\\)\|/g)?.length ?? 0);
  expect(new Set(cells)).toEqual(new Set([4, 6]));
  const silent = KINDS.flatMap(kind =>
    [...walk({ path: `${kind.kind}.spec`, schema: toStructural(kind.spec, kind.kind) })]
      .filter(({ path, schema }) => schema.description === undefined && !/(\[\]|\*)$/.test(path))
      .map(({ path }) => path),
  );
  expect(silent).toEqual([]);
});
