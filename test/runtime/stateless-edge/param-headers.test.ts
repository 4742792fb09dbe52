import { describe, expect, test } from 'vitest';
import { checkParamHeaders, paramHeadersOf } from '../../../runtime/mcp/stateless/param-headers.ts';
import { WireError } from '../../../runtime/mcp/wire-error.ts';

const region = { type: 'string', 'x-mcp-header': 'Region' };
const objectOf = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });

describe('what a schema asks for', () => {
  test.each<[string, unknown, unknown]>([
    ['nothing', objectOf({ a: { type: 'string' } }), []],
    ['a property', objectOf({ region }), [{ header: 'Mcp-Param-Region', path: ['region'] }]],
    [
      'properties of properties',
      objectOf({ a: objectOf({ region }), n: { type: 'integer', 'x-mcp-header': 'N' } }),
      [
        { header: 'Mcp-Param-Region', path: ['a', 'region'] },
        { header: 'Mcp-Param-N', path: ['n'] },
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
    expect(paramHeadersOf(schema)).toEqual(expected);
  });
});

describe('what a call says', () => {
  const declared = [{ header: 'Mcp-Param-A', path: ['o', 'a'] }];
  const refuses = (header: string | undefined, value: unknown): boolean => {
    try {
      checkParamHeaders(declared, header === undefined ? {} : { 'mcp-param-a': header }, { o: { a: value } });
      return false;
    } catch (error) {
      expect(error).toBeInstanceOf(WireError);
      expect(error).toMatchObject({ code: -32020, message: expect.stringContaining('params.arguments.o.a') });
      return true;
    }
  };

  test.each<[string | undefined, unknown]>([
    ['us', 'us'],
    ['=?base64?SGVsbG8=?=', 'Hello'],
    ['SGVsbG8=', 'SGVsbG8='],
    ['=?base64?SGVsbG8=', '=?base64?SGVsbG8='],
    ['', ''],
    ['42', 42],
    ['42.0', 42],
    ['-7', -7],
    ['true', true],
    [undefined, null],
    [undefined, undefined],
    [undefined, {}],
  ])('%j stands for %j', (header, value) => expect(refuses(header, value)).toBe(false));

  test.each<[string | undefined, unknown]>([
    [undefined, 'us'],
    [undefined, ''],
    ['eu', 'us'],
    ['US', 'us'],
    ['=?base64?SGVsbG8?=', 'Hello'],
    ['=?base64?SGVs!!!bG8=?=', 'Hello'],
    ['é', 'é'],
    ['43', 42],
    ['0x2a', 42],
    ['', 0],
    ['TRUE', true],
    ['null', null],
    ['x', undefined],
    ['[object Object]', {}],
  ])('%j does not stand for %j', (header, value) => expect(refuses(header, value)).toBe(true));

  test('arguments that are missing, or inherited', () => {
    expect(() => checkParamHeaders(declared, {}, undefined)).not.toThrow();
    expect(() => checkParamHeaders([{ header: 'Mcp-Param-A', path: ['toString'] }], {}, {})).not.toThrow();
  });
});
