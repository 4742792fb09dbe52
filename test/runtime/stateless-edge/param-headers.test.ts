import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isHeaderValue } from '#shared/plan';
import { checkParamHeaders, findUnknownParamHeaders } from '../../../runtime/mcp/param-headers.ts';
import { readEnvelope } from '../../../runtime/mcp/read-envelope.ts';
import { WireError } from '../../../runtime/mcp/wire-error.ts';
import { anyCharacter } from '../../support/any-character.ts';

/** A call with these arguments; undefined for no `arguments` member. */
function callWith(values: unknown) {
  return readEnvelope(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { arguments: values } }));
}

describe('headers of arguments', () => {
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
  ])('the Mcp-Param header %j matches the argument %j', (header, value) => expect(refuses(header, value)).toBe(false));

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
  ])('the Mcp-Param header %j does not match the argument %j', (header, value) =>
    expect(refuses(header, value)).toBe(true),
  );

  test('the check of Mcp-Param headers accepts missing arguments, and does not read inherited properties', () => {
    expect(() => checkParamHeaders({}, callWith(undefined), declared)).not.toThrow();
    expect(() =>
      checkParamHeaders({}, callWith({}), [{ header: 'mcp-param-a', path: ['toString'], type: 'string' }]),
    ).not.toThrow();
  });
});

describe('unknown headers of arguments', () => {
  const plan = [
    { header: 'mcp-param-a', path: ['a'], type: 'string' as const },
    { header: 'mcp-param-b', path: ['b'], type: 'string' as const },
  ];
  /** A request with these header lines, as Node returns it. */
  const requestWith = (lines: readonly (readonly [string, string])[]) => {
    const headers: Record<string, string> = {};
    for (const [name, value] of lines) {
      const key = name.toLowerCase();
      headers[key] = key in headers ? `${headers[key]}, ${value}` : value;
    }
    return { rawHeaders: lines.flat(), headers };
  };

  test.each<[string, [string, string][], string[] | undefined]>([
    ['no such header', [['Accept', 'application/json']], undefined],
    ['a header that the tool declares', [['Mcp-Param-A', 'x']], undefined],
    ['a header that the tool does not declare', [['Mcp-Param-C', 'x']], ['mcp-param-c', 'x']],
    ['an unknown header in upper case', [['MCP-PARAM-C', 'X']], ['mcp-param-c', 'X']],
    ['an empty unknown header', [['mcp-param-c', '']], ['mcp-param-c', '']],
    [
      'an unknown header twice',
      [
        ['Mcp-Param-C', 'x'],
        ['mcp-param-c', 'y'],
      ],
      ['mcp-param-c', 'x, y'],
    ],
    ['a header without a parameter name', [['Mcp-Param-', 'x']], undefined],
    [
      'headers of the protocol',
      [
        ['Mcp-Method', 'x'],
        ['Mcp-Name', 'x'],
        ['MCP-Protocol-Version', 'x'],
      ],
      undefined,
    ],
    ['a header with a similar name', [['Mcx-Param-Cc', 'x']], undefined],
  ])('the gateway finds the unknown Mcp-Param headers of a request: %s', (_, lines, found) =>
    expect(findUnknownParamHeaders(requestWith(lines), plan)).toEqual(found),
  );

  test.each(['a\u0000b', 'a\u0001', '\u007f', 'a\r\nx: y'])(
    'the gateway refuses an unknown Mcp-Param header with the value %j',
    value => {
      expect(() => findUnknownParamHeaders(requestWith([['Mcp-Param-C', value]]), plan)).toThrow(
        expect.objectContaining({ code: -32020, message: expect.stringContaining('mcp-param-c') }),
      );
    },
  );

  test('the gateway finds each unknown Mcp-Param header of any request once, and no declared header', () => {
    const name = fc.oneof(
      fc.constantFrom('Mcp-Param-A', 'mcp-param-b', 'MCP-PARAM-C', 'Mcp-Param-D', 'Host', 'Authorization', 'Mcp-Name'),
      fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,14}$/),
    );
    const lines = fc.array(fc.tuple(name, fc.string({ unit: anyCharacter })), { maxLength: 12 });
    fc.assert(
      fc.property(lines, given => {
        let found: readonly string[];
        try {
          found = findUnknownParamHeaders(requestWith(given), plan) ?? [];
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
          return;
        }
        const names = found.filter((_, at) => at % 2 === 0);
        const expected = given
          .map(([header]) => header.toLowerCase())
          .filter(header => /^mcp-param-./.test(header) && header !== 'mcp-param-a' && header !== 'mcp-param-b');
        expect(names).toEqual([...new Set(expected)]);
        for (const [at, value] of found.entries()) if (at % 2 === 1) expect(isHeaderValue(value)).toBe(true);
      }),
      { seed: 20260728, numRuns: 2_000 },
    );
  });
});
