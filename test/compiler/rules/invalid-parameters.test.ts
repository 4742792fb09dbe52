import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

test.each<[string, string[], string[]]>([
  [
    'a schema of type object',
    [
      object(
        'VirtualMCPCompositeToolDefinition',
        '{ name: w, steps: [], parameters: { type: object, properties: { id: { type: string } }, required: [id] } }',
      ),
    ],
    [],
  ],
  [
    'a schema without properties',
    [object('VirtualMCPCompositeToolDefinition', '{ name: w, steps: [], parameters: { type: object } }')],
    [],
  ],
  [
    'a schema without a type',
    [object('VirtualMCPCompositeToolDefinition', '{ name: w, steps: [], parameters: { properties: {} } }')],
    ['LNT7016 error 4:41 parameters must be a JSON Schema with "type: object"'],
  ],
  [
    'a schema of another type',
    [object('VirtualMCPCompositeToolDefinition', '{ name: w, steps: [], parameters: { type: array } }')],
    ['LNT7016 error 4:49 the type of parameters must be "object"'],
  ],
  [
    'properties as a list',
    [
      object(
        'VirtualMCPCompositeToolDefinition',
        '{ name: w, steps: [], parameters: { type: object, properties: [id] } }',
      ),
    ],
    ['LNT7016 error 4:69 properties must be a mapping of names to schemas'],
  ],
  [
    'required as a text',
    [object('VirtualMCPCompositeToolDefinition', '{ name: w, steps: [], parameters: { type: object, required: id } }')],
    ['LNT7016 error 4:67 required must be a list of names'],
  ],
  [
    'required names that are properties or not',
    [
      object(
        'VirtualMCPCompositeToolDefinition',
        '{ name: w, steps: [], parameters: { type: object, properties: { id: {} }, required: [id, toString, 7] } }',
      ),
    ],
    [
      'LNT7016 warning 4:96 required parameter "toString" is not in properties',
      'LNT7016 error 4:106 required must be a list of names',
    ],
  ],
])('the rule invalidParameters gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('invalidParameters', ...objects)).toEqual(expected);
});
