/** Which members of `_meta` are forwarded to session backends, however a client writes them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filterMeta } from '../../../runtime/gateway/stateless/filter-meta.ts';
import { readEnvelope } from '../../../runtime/mcp/read-envelope.ts';
import { anyCharacter } from '../../support/any-character.ts';

const PREFIX = 'io.modelcontextprotocol';
const LEFT_OUT = ['protocolVersion', 'clientInfo', 'clientCapabilities', 'logLevel'].map(name => `${PREFIX}/${name}`);

function kept(meta: string): string {
  const { meta: member } = readEnvelope(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":${meta}}}`);
  if (member === undefined) throw new Error('no _meta');
  return filterMeta(member.content);
}

test.each([
  ['{}', '{}'],
  ['5', '{}'],
  ['"x"', '{}'],
  ['[1]', '{}'],
  [`{"${LEFT_OUT[0]}":"2026-07-28"}`, '{}'],
  [`{"${LEFT_OUT[0]}":"2026-07-2\\u0038","a":1}`, '{"a":1}'],
  [`{"${LEFT_OUT[0]}":1,"a":1.0}`, '{"a":1.0}'],
  [`{"${PREFIX}\\/clientInfo":{},"a":1}`, '{"a":1}'],
  [`{"a":{"${LEFT_OUT[1]}":1},"${LEFT_OUT[1]}":12,"b":2}`, `{"a":{"${LEFT_OUT[1]}":1},"b":2}`],
])(
  'the gateway removes from the _meta %s the members that only the stateless revision of MCP defines',
  (meta, expected) => {
    expect(kept(meta)).toBe(expected);
  },
);

test('the gateway keeps the text of all members of _meta unchanged, except for members that the stateless revision defines', () => {
  const space = fc.constantFrom('', '', ' ', '\n\t');
  const name = fc.oneof(fc.constantFrom(...LEFT_OUT, 'progressToken'), fc.string({ maxLength: 8, unit: anyCharacter }));
  const spelled = fc.tuple(name, fc.boolean()).map(([text, isEscaped]) => ({
    name: text,
    json: isEscaped
      ? `"${[...text].map(c => (c.length === 1 ? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}` : c)).join('')}"`
      : JSON.stringify(text),
  }));
  const value = fc.oneof(
    fc.constantFrom('1.50', '9007199254740993', '-0', '1E5', '"\\/\\u0041"', '"2026-07-28"', '{ "a" : [ ] }'),
    fc.jsonValue().map(json => JSON.stringify(json)),
  );
  const members = fc.uniqueArray(fc.tuple(spelled, value, space, space, space), {
    selector: ([{ name: text }]) => text.toLowerCase(),
    maxLength: 6,
  });
  fc.assert(
    fc.property(members, space, (parts, inside) => {
      const texts = parts.map(([{ json }, text, a, b, c]) => ({ before: a, json: `${json}${b}:${c}${text}` }));
      const meta = `{${inside}${texts.map(({ before, json }) => `${before}${json}${before}`).join(',')}}`;
      const expected = texts
        .filter((_, index) => !LEFT_OUT.includes(parts[index]?.[0].name ?? ''))
        .map(({ json }) => json);
      expect(kept(meta)).toBe(`{${expected.join(',')}}`);
    }),
    { seed: 11, numRuns: 2_000 },
  );
});
