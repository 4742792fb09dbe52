import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

test.each<[string, string[], string[]]>([
  [
    'complete outputs',
    [
      object(
        'VirtualMCPCompositeToolDefinition',
        '{ name: w, steps: [], output: { properties: { a: { type: object, description: d, properties: { b: { type: integer, description: d, value: v, default: "7" } } } }, required: [a] } }',
      ),
    ],
    [],
  ],
  [
    'an output without properties',
    [object('VirtualMCPCompositeToolDefinition', '{ name: w, steps: [], output: { properties: {} } }')],
    ['LNT7017 error 4:51 the output has no properties'],
  ],
  [
    'a property with neither value nor properties, with both, and without a description',
    [
      object(
        'VirtualMCPCompositeToolDefinition',
        '{ name: w, steps: [], output: { properties: { a: { type: object, description: d }, b: { type: object, description: d, value: v, properties: { c: { type: string, value: v } } } } } }',
      ),
    ],
    [
      'LNT7017 error 4:56 output "a" has neither value nor properties',
      'LNT7017 error 4:93 output "b" has both value and properties',
      'LNT1010 warning 4:149 output "c" has no description',
    ],
  ],
  [
    'properties inside of a string',
    [
      object(
        'VirtualMCPCompositeToolDefinition',
        '{ name: w, steps: [], output: { properties: { a: { type: string, description: d, properties: { b: { type: string, description: d, value: v } } } } } }',
      ),
    ],
    ['LNT7017 error 4:100 output "a" has properties but is of type string'],
  ],
  [
    'an empty nested object',
    [
      object(
        'VirtualMCPCompositeToolDefinition',
        '{ name: w, steps: [], output: { properties: { a: { type: object, description: d, properties: {} } } } }',
      ),
    ],
    ['LNT7017 error 4:100 the output has no properties'],
  ],
  [
    'a required name that is no property',
    [
      object(
        'VirtualMCPCompositeToolDefinition',
        '{ name: w, steps: [], output: { properties: { title: { type: string, description: d, value: v } }, required: [titel, other] } }',
      ),
    ],
    [
      'LNT7017 error 4:117 required output "titel" is not in properties',
      'LNT7017 error 4:124 required output "other" is not in properties',
    ],
  ],
  [
    'defaults of the right type',
    [
      object(
        'VirtualMCPCompositeToolDefinition',
        '{ name: w, steps: [], output: { properties: { a: { type: boolean, description: d, value: v, default: "true" }, b: { type: array, description: d, value: v, default: "[1]" }, c: { type: object, description: d, value: v, default: {} }, e: { type: string, description: d, value: v, default: 7 }, f: { type: number, description: d, value: v, default: 1.5 } } } }',
      ),
    ],
    [],
  ],
  [
    'defaults of the wrong type',
    [
      object(
        'VirtualMCPCompositeToolDefinition',
        '{ name: w, steps: [], output: { properties: { a: { type: boolean, description: d, value: v, default: 1 }, b: { type: array, description: d, value: v, default: "{}" }, c: { type: object, description: d, value: v, default: "{" }, e: { type: string, description: d, value: v, default: [] }, f: { type: integer, description: d, value: v, default: 1.5 } } } }',
      ),
    ],
    [
      'LNT7017 error 4:108 the default of output "a" is not of type boolean',
      'LNT7017 error 4:166 the default of output "b" is not of type array',
      'LNT7017 error 4:228 the default of output "c" is not of type object',
      'LNT7017 error 4:289 the default of output "e" is not of type string',
      'LNT7017 error 4:350 the default of output "f" is not of type integer',
    ],
  ],
])('the rule compositeOutput gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('compositeOutput', ...objects)).toEqual(expected);
});

test.each<[type: string, fallback: string, isAccepted: boolean]>([
  ['string', '5', true],
  ['string', '[1]', false],
  ['boolean', 't', true],
  ['boolean', '"yes"', false],
  ['boolean', '1', false],
  ['integer', '"+7"', true],
  ['integer', '"5.0"', false],
  ['integer', '"1e3"', false],
  ['integer', '"9007199254740993"', false],
  ['number', '".5"', true],
  ['number', '"0x10"', false],
  ['number', '" 5 "', false],
  ['number', '"1e999"', false],
  ['array', '"[1]"', true],
  ['object', '"[]"', false],
])('the rule compositeOutput accepts a default of type %s with the value %s: %s', (type, fallback, isAccepted) => {
  const property = `{ type: ${type}, description: d, value: v, default: ${fallback} }`;
  const spec = `{ name: w, steps: [], output: { properties: { a: ${property} } } }`;
  const found = judge('compositeOutput', object('VirtualMCPCompositeToolDefinition', spec));
  expect(found.length === 0, found.join()).toBe(isAccepted);
});
