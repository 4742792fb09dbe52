/** The template of a `forEach` step's `collection` must give the text of a JSON array; the template function `json` writes one. */
import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

const over = (collection: string) =>
  object(
    'VirtualMCPCompositeToolDefinition',
    `\n  name: w\n  parameters: { type: object, properties: { list: { type: array }, text: { type: string }, any: {} } }\n  steps:\n    - { id: a, type: forEach, collection: ${collection}, step: { id: b, tool: x.y } }`,
  );

test.each<[string, string[], string[]]>([
  [
    'JSON lists, and templates that may render a JSON list',
    [
      over("'[1, 2]'"),
      over("'{{ json .params.list }}'"),
      over("'{{ .params.text }}'"),
      over("'{{ .params.any }}'"),
      over("'{{ .params.list | json }}'"),
      over("'{{ .steps.b.output.text }}'"),
      over("'[{{ .params.text }}]'"),
      over("'{{ '"),
    ],
    [],
  ],
  [
    'texts that are no JSON list',
    [over("'a, b'"), over("'{}'")],
    [
      'LNT7029 error 8:43 the collection of step "a" must render a JSON array, and this text is not a JSON array',
      'LNT7029 error 17:43 the collection of step "a" must render a JSON array, and this text is not a JSON array',
    ],
  ],
  [
    'lists that a template prints without json',
    [over("'{{ .params.list }}'"), over("' {{ .steps.b.output }} '")],
    [
      'LNT7029 error 8:43 the collection of step "a" must render a JSON array, and .params.list is printed in the form of templates, such as [a b] or map[a:b]',
      'LNT7029 error 17:43 the collection of step "a" must render a JSON array, and .steps.b.output is printed in the form of templates, such as [a b] or map[a:b]',
    ],
  ],
  [
    'a step of another type',
    [object('VirtualMCPCompositeToolDefinition', '{ name: w, steps: [{ id: a, tool: x.y, collection: none }] }')],
    [],
  ],
])('the rule collectionIsNoList gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('collectionIsNoList', ...objects)).toEqual(expected);
});
