import { describe, expect, test } from 'vitest';
import { checkParamHeaders } from '../../../runtime/mcp/param-headers.ts';
import { readEnvelope } from '../../../runtime/mcp/read-envelope.ts';
import { WireError } from '../../../runtime/mcp/wire-error.ts';

/** A call with these arguments; none at all for undefined. */
function callWith(values: unknown) {
  return readEnvelope(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { arguments: values } }));
}

describe('what a call says', () => {
  const declared = [{ header: 'mcp-param-a', path: ['o', 'a'], type: 'string' as const }];
  const refuses = (header: string | undefined, value: unknown): boolean => {
    try {
      const call = callWith({ o: { a: value } });
      checkParamHeaders(header === undefined ? {} : { 'mcp-param-a': header }, call, declared);
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
    expect(() => checkParamHeaders({}, callWith(undefined), declared)).not.toThrow();
    expect(() =>
      checkParamHeaders({}, callWith({}), [{ header: 'mcp-param-a', path: ['toString'], type: 'string' }]),
    ).not.toThrow();
  });
});
