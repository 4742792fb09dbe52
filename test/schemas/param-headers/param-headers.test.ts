import { describe, expect, test } from 'vitest';
import { readParamHeaders } from '#schemas';

const region = { type: 'string', 'x-mcp-header': 'Region' };
const objectOf = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });

describe('what a schema asks for', () => {
  test.each<[string, unknown, unknown]>([
    ['nothing', objectOf({ a: { type: 'string' } }), []],
    ['a property', objectOf({ region }), [{ header: 'mcp-param-region', path: ['region'] }]],
    [
      'properties of properties',
      objectOf({ a: objectOf({ region }), n: { type: 'integer', 'x-mcp-header': 'N' } }),
      [
        { header: 'mcp-param-region', path: ['a', 'region'] },
        { header: 'mcp-param-n', path: ['n'] },
      ],
    ],
    ['a property of that name', objectOf({ 'x-mcp-header': { type: 'string' } }), []],
    ['one in an example', objectOf({ a: { type: 'object', default: { 'x-mcp-header': 1 } } }), []],
    ['a definition of that name', objectOf({}, { $defs: { 'x-mcp-header': { type: 'string' } } }), []],
    ['no schema', true, []],
    ['an empty name', objectOf({ a: { type: 'string', 'x-mcp-header': '' } }), undefined],
    ['a name with a line feed', objectOf({ a: { type: 'string', 'x-mcp-header': 'a\nb' } }), undefined],
    ['a name with a space', objectOf({ a: { type: 'string', 'x-mcp-header': 'a b' } }), undefined],
    ['a name that is no text', objectOf({ a: { type: 'string', 'x-mcp-header': 7 } }), undefined],
    ['one name twice', objectOf({ a: region, b: { type: 'string', 'x-mcp-header': 'REGION' } }), undefined],
    ['a number', objectOf({ a: { type: 'number', 'x-mcp-header': 'A' } }), undefined],
    ['an object', objectOf({ a: { type: 'object', 'x-mcp-header': 'A' } }), undefined],
    ['the root', { type: 'string', 'x-mcp-header': 'A' }, undefined],
    ['items', objectOf({ a: { type: 'array', items: region } }), undefined],
    ['a choice', objectOf({}, { anyOf: [objectOf({ region })] }), undefined],
    ['a condition', objectOf({}, { else: objectOf({ region }) }), undefined],
    ['a definition', objectOf({}, { $defs: { a: region } }), undefined],
  ])('%s', (_, schema, expected) => {
    const read = readParamHeaders(schema);
    expect(read.ok ? read.headers.map(({ header, path }) => ({ header, path })) : undefined).toEqual(expected);
  });
});
