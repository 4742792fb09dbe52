import { describe, expect, test } from 'vitest';
import { readParamHeaders } from '#shared/plan';

const region = { type: 'string', 'x-mcp-header': 'Region' };
const objectOf = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });

describe('what a schema asks for', () => {
  test.each<[string, unknown, unknown]>([
    ['no annotation', objectOf({ a: { type: 'string' } }), []],
    ['a property', objectOf({ region }), [{ header: 'mcp-param-region', path: ['region'] }]],
    [
      'properties of properties',
      objectOf({ a: objectOf({ region }), n: { type: 'integer', 'x-mcp-header': 'N' } }),
      [
        { header: 'mcp-param-region', path: ['a', 'region'] },
        { header: 'mcp-param-n', path: ['n'] },
      ],
    ],
    ['a property that is called x-mcp-header', objectOf({ 'x-mcp-header': { type: 'string' } }), []],
    ['an annotation in a default value', objectOf({ a: { type: 'object', default: { 'x-mcp-header': 1 } } }), []],
    ['a definition that is called x-mcp-header', objectOf({}, { $defs: { 'x-mcp-header': { type: 'string' } } }), []],
    ['the schema true', true, []],
    ['an empty name', objectOf({ a: { type: 'string', 'x-mcp-header': '' } }), undefined],
    ['a name with a line feed', objectOf({ a: { type: 'string', 'x-mcp-header': 'a\nb' } }), undefined],
    ['a name with a space', objectOf({ a: { type: 'string', 'x-mcp-header': 'a b' } }), undefined],
    ['a name that is not a string', objectOf({ a: { type: 'string', 'x-mcp-header': 7 } }), undefined],
    ['the same name twice', objectOf({ a: region, b: { type: 'string', 'x-mcp-header': 'REGION' } }), undefined],
    ['an annotation of a number', objectOf({ a: { type: 'number', 'x-mcp-header': 'A' } }), undefined],
    ['an annotation of an object', objectOf({ a: { type: 'object', 'x-mcp-header': 'A' } }), undefined],
    ['an annotation of the root', { type: 'string', 'x-mcp-header': 'A' }, undefined],
    ['an annotation of list items', objectOf({ a: { type: 'array', items: region } }), undefined],
    ['an annotation in anyOf', objectOf({}, { anyOf: [objectOf({ region })] }), undefined],
    ['an annotation in else', objectOf({}, { else: objectOf({ region }) }), undefined],
    ['an annotation in a definition', objectOf({}, { $defs: { a: region } }), undefined],
  ])('the gateway reads the x-mcp-header annotations of an input schema or refuses them: %s', (_, schema, expected) => {
    const read = readParamHeaders(schema);
    expect(read.ok ? read.headers.map(({ header, path }) => ({ header, path })) : undefined).toEqual(expected);
  });
});
