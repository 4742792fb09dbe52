import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatIdKey, type Span, splice, spliceString } from '../../../runtime/mcp/envelope.ts';
import { readEnvelope } from '../../../runtime/mcp/read-envelope.ts';
import { WireError } from '../../../runtime/mcp/wire-error.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { runs } from '../../support/runs.ts';

fc.configureGlobal({ seed: 20261120, numRuns: 1000 });

function refusalOf(text: string): WireError {
  try {
    readEnvelope(text);
  } catch (error) {
    if (error instanceof WireError) return error;
    throw error;
  }
  throw new Error('the message was accepted');
}

const deep = (levels: number): string =>
  `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`;

describe('refused messages', () => {
  const rows: readonly [name: string, text: string, code: number, id: string | undefined][] = [
    ['nothing', '', -32700, undefined],
    ['space only', ' \n', -32700, undefined],
    ['an open object', '{"jsonrpc":"2.0","id":1', -32700, undefined],
    ['text behind the message', '{"jsonrpc":"2.0","id":1,"method":"m"} x', -32700, undefined],
    ['a second message', '{"jsonrpc":"2.0","method":"m"}{"jsonrpc":"2.0","method":"m"}', -32700, undefined],
    ['a trailing comma', '{"jsonrpc":"2.0","id":1,"method":"m",}', -32700, undefined],
    ['single quotes', "{'jsonrpc':'2.0'}", -32700, undefined],
    ['a raw line feed in a string', '{"jsonrpc":"2.0","id":1,"method":"a\nb"}', -32700, undefined],
    ['an unknown escape', '{"jsonrpc":"2.0","id":1,"method":"\\x41"}', -32700, undefined],
    ['a short unicode escape', '{"jsonrpc":"2.0","id":1,"method":"\\u12"}', -32700, undefined],
    ['a leading zero', '{"jsonrpc":"2.0","id":01,"method":"m"}', -32700, undefined],
    ['a bare minus', '{"jsonrpc":"2.0","id":-,"method":"m"}', -32700, undefined],
    ['NaN', '{"jsonrpc":"2.0","id":NaN,"method":"m"}', -32700, undefined],
    ['a wide space', '\u00a0{"jsonrpc":"2.0","id":1,"method":"m"}', -32700, undefined],
    ['a broken document with an earlier flaw', '{"jsonrpc":"1.0","id":null,"method":"m"', -32700, undefined],
    ['a broken batch', '[{"jsonrpc":"2.0"}', -32700, undefined],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"m"}]', -32600, undefined],
    ['an empty batch', '[]', -32600, undefined],
    ['a string', '"m"', -32600, undefined],
    ['null', 'null', -32600, undefined],
    ['an empty object', '{}', -32600, undefined],
    ['no version', '{"id":1,"method":"m"}', -32600, '1'],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"m"}', -32600, '1'],
    ['a numeric version', '{"jsonrpc":2.0,"id":1,"method":"m"}', -32600, '1'],
    ['a null id', '{"jsonrpc":"2.0","id":null,"method":"m"}', -32600, undefined],
    ['a fractional id', '{"jsonrpc":"2.0","id":1.5,"method":"m"}', -32600, undefined],
    ['an id with an exponent', '{"jsonrpc":"2.0","id":1e3,"method":"m"}', -32600, undefined],
    ['a boolean id', '{"jsonrpc":"2.0","id":true,"method":"m"}', -32600, undefined],
    ['an object id', '{"jsonrpc":"2.0","id":{},"method":"m"}', -32600, undefined],
    ['a numeric method', '{"jsonrpc":"2.0","id":1,"method":7}', -32600, '1'],
    ['neither method nor outcome', '{"jsonrpc":"2.0","id":1}', -32600, '1'],
    ['a method and a result', '{"jsonrpc":"2.0","id":1,"method":"m","result":{}}', -32600, '1'],
    ['a result and an error', '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}', -32600, '1'],
    ['a response without an id', '{"jsonrpc":"2.0","result":{}}', -32600, undefined],
    ['params that are a list', '{"jsonrpc":"2.0","id":"a","method":"m","params":[]}', -32602, '"a"'],
    ['params that are null', '{"jsonrpc":"2.0","id":"a","method":"m","params":null}', -32602, '"a"'],
    [
      'notification params that are text',
      '{"jsonrpc":"2.0","method":"notifications/m","params":"x"}',
      -32602,
      undefined,
    ],
    ['a call without an id', '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"t"}}', -32600, undefined],
    ['a request without an id whose params are text', '{"jsonrpc":"2.0","method":"m","params":"x"}', -32600, undefined],
    ['too many levels', deep(127), -32600, undefined],
    ['very many levels', deep(100_000), -32600, undefined],
  ];
  test.each(rows)(
    'the gateway refuses a malformed JSON-RPC message with the right error code and the id of the message: %s',
    (_, text, code, id) => {
      const error = refusalOf(text);
      expect({ code: error.code, id: error.id, status: error.httpStatus }).toEqual({ code, id, status: 400 });
    },
  );

  test('the gateway accepts a message that is nested as deeply as the limit allows', () => {
    expect(readEnvelope(deep(126)).method).toBe('m');
  });
});

const VERSION = '"io.modelcontextprotocol/protocolVersion"';

describe('members that two parsers could read differently', () => {
  const message = (rest: string): string => `{"jsonrpc":"2.0","id":1,"method":"m",${rest}}`;
  test.each([
    ['jsonrpc', message('"jsonrpc":"2.0"')],
    ['id', message('"id":2')],
    ['method', message('"method":"n"')],
    ['method in escapes', message('"m\\u0065thod":"n"')],
    ['params', message('"params":{},"params":{}')],
    ['result', '{"jsonrpc":"2.0","id":1,"result":1,"result":2}'],
    ['name', message('"params":{"name":"a","name":"b"}')],
    ['name in escapes', message('"params":{"name":"a","\\u006eame":"b"}')],
    ['name of another type', message('"params":{"name":"a","name":{}}')],
    ['uri', message('"params":{"uri":"a","uri":"b"}')],
    ['cursor', message('"params":{"cursor":"a","cursor":"b"}')],
    ['arguments', message('"params":{"arguments":{},"arguments":{}}')],
    ['ref', message('"params":{"ref":{},"ref":{}}')],
    ['requestId', message('"params":{"requestId":1,"requestId":2}')],
    ['requestState', message('"params":{"requestState":"a","requestState":"b"}')],
    ['name inside ref', message('"params":{"ref":{"name":"a","name":"b"}}')],
    ['Method next to method', message('"Method":"n"')],
    ['NAME next to name', message('"params":{"name":"a","NAME":"b"}')],
    ['Name alone', message('"params":{"Name":"b"}')],
    ['_meta', message('"params":{"_meta":{},"_meta":{}}')],
    ['_Meta', message('"params":{"_Meta":{}}')],
    ['the revision', message(`"params":{"_meta":{${VERSION}:"a",${VERSION}:"b"}}`)],
    ['the revision in escapes', message(`"params":{"_meta":{${VERSION}:"a",${VERSION.replace('/', '\\/')}:"b"}}`)],
    ['the revision in upper case', message(`"params":{"_meta":{${VERSION.toUpperCase()}:"b"}}`)],
    [
      'the capabilities with the long s',
      message('"params":{"_meta":{"io.modelcontextprotocol/clientCapabilitie\u017f":{}}}'),
    ],
    ['param\u017f with the long s', message('"param\u017f":{}')],
  ])('the gateway refuses a message whose members two parsers could read differently: %s', (_, text) => {
    expect(refusalOf(text)).toMatchObject({
      code: -32600,
      message: expect.stringMatching(/duplicate member|wrong case/),
    });
  });

  test.each([
    ['an unknown member twice', message('"x":1,"x":2')],
    ['a name at another level', message('"name":"b","params":{"name":"a","_meta":{"name":"c"}}')],
    [
      'a _meta name that begins like a known name',
      message('"params":{"_meta":{"io.modelcontextprotocol/protocolVersions":1,"Protocolversion":2}}'),
    ],
    ['a revision outside of _meta', message(`${VERSION}:1,${VERSION.toUpperCase()}:2`)],
    ['a revision deeper in _meta', message(`"params":{"_meta":{"a":{${VERSION}:1,${VERSION}:2}}}`)],
    ['a name twice inside the arguments', message('"params":{"arguments":{"name":1,"name":2,"Name":3}}')],
  ])(
    'the gateway accepts a message with %s, since every member that the gateway reads stays unambiguous',
    (_, text) => {
      expect(readEnvelope(text).method).toBe('m');
    },
  );
});

describe('the reader of messages', () => {
  test('when the gateway replaces the name or the id in a request, it changes no other character of the request', () => {
    const text =
      ' {"params" : {"big":12345678901234567890, "name":"b\\u0061ck", "z":1.0e2,"arguments":{"name":"x"}},\r\n"id": "\\u0041", "method":"tools/call","jsonrpc":"2.0"}\n';
    const envelope = readEnvelope(text);
    expect(envelope).toMatchObject({ kind: 'request', id: '"\\u0041"', method: 'tools/call', name: { value: 'back' } });
    expect(formatIdKey(envelope.id as string)).toBe('"A"');
    expect(spliceString(envelope, envelope.name as never, 'new "name"')).toBe(
      text.replace('"b\\u0061ck"', '"new \\"name\\""'),
    );
    expect(splice(envelope, envelope.idSpan as never, '7')).toBe(text.replace('"\\u0041"', '7'));
    expect(text.slice(envelope.arguments?.start, envelope.arguments?.end)).toBe('{"name":"x"}');
  });

  test('the gateway reads ref in the params of completion/complete, and can replace the name in it', () => {
    const text =
      '{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"p"},"argument":{}}}';
    const envelope = readEnvelope(text);
    expect(envelope.ref).toMatchObject({ type: { value: 'ref/prompt' }, name: { value: 'p' }, uri: undefined });
    expect(spliceString(envelope, envelope.ref?.name as never, 'q')).toBe(text.replace('"p"', '"q"'));
    expect(envelope.paramsValue()).toEqual({ ref: { type: 'ref/prompt', name: 'p' }, argument: {} });
  });

  test('the gateway reads the members of _meta that the stateless revision of MCP defines', () => {
    const members = [
      ['protocolVersion', '"2026-07-28"'],
      ['clientCapabilities', '{"sampling":{}}'],
      ['clientInfo', ' {"name":"x"}'],
      ['logLevel', '"debug"'],
      ['subscriptionId', '7'],
    ].map(([name, json]) => `"io.modelcontextprotocol/${name}" : ${json}`);
    const text = `{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"a":[1],${members.join(',')}},"name":"n"}}`;
    // The second time it comes from the cache.
    for (const { meta, name } of [readEnvelope(text), readEnvelope(text)]) {
      expect(name?.value).toBe('n');
      expect(meta?.content).toMatchObject({
        protocolVersion: '2026-07-28',
        clientCapabilities: '{"sampling":{}}',
        clientInfo: '{"name":"x"}',
        logLevel: '"debug"',
        hasMore: true,
      });
      const content = text.slice(meta?.start, meta?.end);
      expect(meta?.content.text).toBe(content);
      expect(content.slice(meta?.content.subscriptionId?.start, meta?.content.subscriptionId?.end)).toBe('7');
      expect(JSON.parse(content)).toEqual(readEnvelope(text).valueAt(meta as Span));
    }
  });

  test('the gateway accepts a _meta that is a list, and finds no members in it', () => {
    const { meta } = readEnvelope('{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":[{}] }}');
    expect(meta?.content).toMatchObject({ protocolVersion: undefined, clientCapabilities: undefined, hasMore: true });
    expect((meta?.end ?? 0) - (meta?.start ?? 0)).toBe(4);
  });

  test('the gateway recognizes a cancellation and a response, and ignores a name or ref of the wrong type', () => {
    const cancelled = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}';
    expect(readEnvelope(cancelled)).toMatchObject({ kind: 'notification', id: undefined, requestId: '"a"' });
    expect(readEnvelope('{"jsonrpc":"2.0","id":5,"error":{"code":1}}')).toMatchObject({ kind: 'response', id: '5' });
    const odd = readEnvelope('{"jsonrpc":"2.0","id":-5,"method":"m","params":{"name":5,"ref":"x"}}');
    expect([odd.id, odd.name, odd.ref]).toEqual(['-5', undefined, undefined]);
  });

  test('the gateway reads and writes lone surrogates, raw or escaped, without a change', () => {
    const envelope = readEnvelope('{"jsonrpc":"2.0","id":"\ud800","method":"m","params":{"name":"\\udfff"}}');
    expect(envelope.name?.value).toBe('\udfff');
    expect(spliceString(envelope, envelope.name as never, '\ud83d')).toContain('"name":"\\ud83d"');
  });

  test('the gateway keeps an integer id that exceeds the precision of a double', () => {
    expect(readEnvelope('{"jsonrpc":"2.0","id":12345678901234567891,"method":"m"}').id).toBe('12345678901234567891');
  });
});

describe('properties', () => {
  const name = fc.oneof(fc.string({ unit: anyCharacter }), fc.string({ unit: 'grapheme' }));
  const params = fc
    .tuple(fc.dictionary(name, fc.jsonValue()), fc.record({ name, uri: name, cursor: name }, { requiredKeys: [] }))
    .map(([rest, known]) => ({ ...rest, ...known }));
  const message = fc
    .record(
      {
        jsonrpc: fc.constant('2.0'),
        id: fc.oneof(fc.integer(), fc.string()),
        method: fc.oneof(
          name,
          name.map(rest => `notifications/${rest}`),
        ),
        params,
        extra: fc.jsonValue(),
      },
      { requiredKeys: ['jsonrpc', 'method'] },
    )
    .filter(({ id, method }) => id !== undefined || method.startsWith('notifications/'));
  const indent = fc.constantFrom(undefined, 1, '\t');

  test('the gateway reads any message as JSON.parse reads it', () => {
    fc.assert(
      fc.property(message, indent, (value, space) => {
        const envelope = readEnvelope(JSON.stringify(value, undefined, space));
        expect(envelope.kind).toBe('id' in value ? 'request' : 'notification');
        expect(envelope.id === undefined ? undefined : JSON.parse(envelope.id)).toEqual(value.id);
        expect(envelope.method).toBe(value.method);
        expect(envelope.name?.value).toBe(value.params?.name);
        expect(envelope.uri?.value).toBe(value.params?.uri);
        expect(envelope.cursor?.value).toBe(value.params?.cursor);
        expect(JSON.stringify(envelope.paramsValue())).toBe(JSON.stringify(value.params));
      }),
    );
  });

  test('replacing the name of any message changes only the name', () => {
    fc.assert(
      fc.property(message, indent, name, name, (value, space, before, after) => {
        const params = { ...value.params, name: before };
        const envelope = readEnvelope(JSON.stringify({ ...value, params }, undefined, space));
        const spliced = spliceString(envelope, envelope.name as never, after);
        expect(spliced).toBe(JSON.stringify({ ...value, params: { ...params, name: after } }, undefined, space));
      }),
    );
  });

  test('for any text, the gateway throws a WireError exactly if the text is not JSON or not a JSON-RPC message', () => {
    const noise = fc
      .tuple(message, fc.nat(), fc.nat(4), fc.string({ unit: anyCharacter, maxLength: 4 }))
      .map(([value, at, cut, insert]) => {
        const text = JSON.stringify(value);
        const start = at % (text.length + 1);
        return text.slice(0, start) + insert + text.slice(start + cut);
      });
    fc.assert(
      fc.property(fc.oneof(noise, fc.string({ unit: anyCharacter }), fc.json()), text => {
        let code: number | undefined;
        try {
          readEnvelope(text);
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
          code = (error as WireError).code;
        }
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        expect(code === -32700).toBe(!isJson);
      }),
      { numRuns: runs(5000) },
    );
  });
});
