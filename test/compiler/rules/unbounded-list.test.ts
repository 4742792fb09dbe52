/** A list from the caller is limited before its items are processed. */
import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

const each = (list: string, more = '', collection = '{{ json .params.list }}') =>
  object(
    'VirtualMCPCompositeToolDefinition',
    `\n  name: w\n  parameters: { type: object, properties: { list: ${list} } }\n  steps:\n    - { id: all, type: forEach, collection: '${collection}', step: { id: one, tool: x.y }${more} }`,
  );

test.each<[string, string[], string[]]>([
  [
    'a forEach limited by the schema or by the step',
    [
      each('{ type: array, maxItems: 100 }'),
      each('{ type: array }', ', maxIterations: 5'),
      each('{ type: array, maxItems: 500 }', ', maxIterations: 500'),
    ],
    [],
  ],
  [
    'forEach over a parameter without maxItems',
    [each('{ type: array }'), each('{ type: array }', ', maxIterations: 0')],
    [
      'LNT7026 hint 8:45 parameter "list" has no maxItems, and a list of more than 100 items fails step "all"',
      'LNT7026 hint 17:45 parameter "list" has no maxItems, and a list of more than 100 items fails step "all"',
    ],
  ],
  [
    'a schema that allows more items than the step',
    [each('{ type: array, maxItems: 101 }'), each('{ type: array, maxItems: 20 }', ', maxIterations: 10')],
    [
      'LNT7026 warning 8:45 parameter "list" may have 101 items, and more than 100 fail step "all"',
      'LNT7026 warning 17:45 parameter "list" may have 20 items, and more than 10 fail step "all"',
    ],
  ],
  [
    'a forEach over a list of unknown size',
    [
      each('{ $ref: x }'),
      each('{ type: array }', '', '{{ json .params.other }}'),
      each('{ type: object }', '', '{{ json .params.list.items }}'),
      each('{ type: array }', '', '{{ json .steps.a.output }}'),
      each('{ type: array }', '', '{{ if .params.list }}{{ json .params.list }}{{ end }}'),
      each('{ type: array }', '', '{{'),
    ],
    [],
  ],
])('the rule unboundedList gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('unboundedList', ...objects)).toEqual(expected);
});
