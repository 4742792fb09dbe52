/** A `_meta` that was read before comes from a cache, and the result is the same as without the cache. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RequestMeta } from '../../../runtime/mcp/envelope.ts';
import { readEnvelope } from '../../../runtime/mcp/read-envelope.ts';
import { WireError } from '../../../runtime/mcp/wire-error.ts';

const PREFIX = 'io.modelcontextprotocol/';

/** A `_meta` as clients write it. */
function metaOf(client: string, more: object = {}): string {
  return JSON.stringify({
    [`${PREFIX}protocolVersion`]: '2026-07-28',
    [`${PREFIX}clientInfo`]: { name: client, version: '1' },
    [`${PREFIX}clientCapabilities`]: {},
    ...more,
  });
}

const messageOf = (meta: string, after = ''): string =>
  `{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":${meta}${after}}}`;

function saysOf(text: string): RequestMeta | undefined {
  return readEnvelope(text).meta?.content;
}

describe('the cache of _meta', () => {
  test('the gateway takes a _meta that it has just parsed from a cache, at any position in the message', () => {
    const meta = metaOf('same');
    const first = saysOf(messageOf(meta));
    expect(saysOf(messageOf(meta, ',"name":"n"'))).toBe(first);
    expect(saysOf(`{"id":2,"jsonrpc":"2.0","method":"m","params":{"name":"x","_meta":${meta}}}`)).toBe(first);
  });

  test('the cache of parsed _meta has room for four clients that send in turn', () => {
    const metas = ['one', 'two', 'three', 'four'].map(client => metaOf(client));
    const first = metas.map(meta => saysOf(messageOf(meta)));
    for (let turn = 0; turn < 3; turn++) expect(metas.map(meta => saysOf(messageOf(meta)))).toEqual(first);
    metas.forEach((meta, index) => void expect(saysOf(messageOf(meta))).toBe(first[index]));
  });

  test('the gateway finds the end of a cached _meta correctly, also when text follows it or it is cut off', () => {
    const meta = metaOf('ends');
    saysOf(messageOf(meta));
    const { meta: found, name } = readEnvelope(messageOf(meta, ',"name":"behind"'));
    expect([found?.content.text, name?.value]).toEqual([meta, 'behind']);
    expect(() => readEnvelope(messageOf(`${meta}}`))).toThrow(WireError);
    expect(() => readEnvelope(messageOf(meta.slice(0, -1)))).toThrow(WireError);
  });
});

test.each([
  ['a progress token', metaOf('more', { progressToken: 7 })],
  ['a subscription id', metaOf('subscribed', { [`${PREFIX}subscriptionId`]: 7 })],
  ['very much text', metaOf('x'.repeat(4_096))],
  ['a list in place of an object', '[{}]'],
])('the gateway never takes a _meta with %s from the cache', (_, meta) => {
  const [first, second] = [saysOf(messageOf(meta)), saysOf(messageOf(meta))];
  expect(second).toEqual(first);
  expect(second).not.toBe(first);
});

test('the gateway refuses a _meta with a duplicate member also when a second message has the same _meta', () => {
  const twice = metaOf('twice').replace('{', `{"${PREFIX}clientInfo":{},`);
  for (let time = 0; time < 2; time++) expect(() => readEnvelope(messageOf(twice))).toThrow('duplicate member');
});

test('for any _meta, the gateway reads the same content the second time as the first time', () => {
  const member = fc.oneof(
    fc
      .constantFrom('protocolVersion', 'clientInfo', 'clientCapabilities', 'logLevel', 'subscriptionId')
      .map(name => PREFIX + name),
    fc.string(),
  );
  const metas = fc.array(fc.dictionary(member, fc.jsonValue(), { maxKeys: 4 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(metas, all => {
      for (const meta of [...all, ...all]) {
        const text = JSON.stringify(meta);
        let content: RequestMeta | undefined;
        try {
          content = saysOf(messageOf(text));
        } catch (error) {
          expect((error as WireError).message).toMatch(/wrong case/);
          continue;
        }
        const json = (name: string) => (Object.hasOwn(meta, PREFIX + name) ? meta[PREFIX + name] : undefined);
        const version = json('protocolVersion');
        expect(content?.text).toBe(text);
        expect(content?.protocolVersion).toBe(typeof version === 'string' ? version : undefined);
        for (const name of ['clientInfo', 'clientCapabilities', 'logLevel'] as const) {
          expect(content?.[name]).toBe(json(name) === undefined ? undefined : JSON.stringify(json(name)));
        }
      }
    }),
    { numRuns: 500, seed: 20261123 },
  );
});
