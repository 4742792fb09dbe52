/** Responses with names and ids in any spelling: what is accepted as a response is rewritten correctly. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AddedMembers } from '../../../runtime/gateway/backends/messages/added-members.ts';
import { ResponseRewriter } from '../../../runtime/gateway/backends/messages/response-rewriter.ts';
import { validateResponse } from '../../../runtime/gateway/backends/messages/response-validator.ts';
import { rewriteCommonResponse } from '../../../runtime/gateway/stateless/common-response.ts';
import type { Span } from '../../../runtime/mcp/envelope.ts';
import { findMember, iterateMembers } from '../../../runtime/mcp/json/members.ts';

const ADDED = new AddedMembers({ resultType: 'complete', ttlMs: 0, cacheScope: 'private' });
const OURS = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };

/** A letter as it is, or as an escape. */
const spelled = (name: string): fc.Arbitrary<string> =>
  fc
    .tuple(...[...name].map(c => fc.constantFrom(c, c, c, c, `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)))
    .map(letters => `"${letters.join('')}"`);

const plain = (name: string): fc.Arbitrary<string> => fc.constant(`"${name}"`);
const space = fc.constantFrom('', '', '', ' ', '\n  ', `${' '.repeat(40)}`);
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }).map(json => JSON.stringify(json)),
  fc.constantFrom('"},\\"id\\":8,{\\\\"', '{"resultType":1,"id":8}', '[{"ttlMs":1},"]"]', '1', '"cacheScope"'),
);

const object = (members: fc.Arbitrary<readonly string[]>): fc.Arbitrary<string> =>
  fc.tuple(members, space).map(([texts, end]) => `{${texts.join(',')}${end}}`);

const member = (name: fc.Arbitrary<string>, of: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(space, name, space, space, of, space).map(([a, text, b, c, json, d]) => `${a}${text}${b}:${c}${json}${d}`);

const NAMES = ['resultType', 'ttlMs', 'cacheScope', 'a', 'id', 'result', 'mimeType', 'e'.repeat(50)];

const result = object(
  fc
    .uniqueArray(fc.constantFrom(...NAMES), { maxLength: 6 })
    .chain(names => fc.tuple(...names.map(name => member(fc.oneof(plain(name), spelled(name)), value)))),
);

/** `{"jsonrpc":"2.0","id":7,"result":…}` and the like, with members in any order and additional ones. */
const answer = fc.shuffledSubarray(['jsonrpc', 'id', 'result', 'extra'], { minLength: 3 }).chain(names => {
  const values: Record<string, fc.Arbitrary<string>> = {
    jsonrpc: fc.constant('"2.0"'),
    id: fc.constantFrom('7', '7', '7', '7', '8'),
    result,
    extra: value,
  };
  const some = names.map(name => member(fc.oneof(plain(name), spelled(name)), values[name] ?? value));
  return object(fc.tuple(...some));
});

const usual = result.chain(json =>
  fc.constantFrom(`{"jsonrpc":"2.0","id":7,"result":${json}}`, `{"result":${json},"jsonrpc":"2.0","id":7}`),
);

/** The names of members in `result`, in order, with duplicates. */
function namesInResult(text: string): string[] {
  const { start } = findMember(text, 0, 'result') as Span;
  return [...iterateMembers(text, start)].map(({ name }) => name);
}

test('an answer that the gateway has rewritten differs from the original only in the id and in members added to the result', () => {
  let passed = 0;
  let short = 0;
  const pieces = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(fc.oneof(answer, usual), pieces, (text, sizes) => {
      const bytes = Buffer.from(text);
      const said = JSON.parse(text) as { id?: unknown; result?: object };
      const isAnswer = validateResponse(bytes, '7') === undefined;
      expect(isAnswer).toBe(said.id === 7 && said.result !== undefined);
      if (!isAnswer) return;
      passed++;
      const wanted = { ...said, id: 'new', result: { ...said.result, ...OURS } };
      const rewriter = new ResponseRewriter('"new"', ADDED);
      const out: Uint8Array[] = [];
      for (let at = 0, n = 0; at < bytes.length; n++) {
        const size = sizes[n % sizes.length] as number;
        out.push(rewriter.push(bytes.subarray(at, at + size)));
        at += size;
      }
      const inPieces = Buffer.concat(out).toString();
      const whole = Buffer.from(new ResponseRewriter('"new"', ADDED).push(bytes)).toString();
      expect(JSON.parse(whole)).toEqual(wanted);
      expect(JSON.parse(inPieces)).toEqual(wanted);
      const rest = Object.keys(said.result ?? {}).filter(name => !Object.hasOwn(OURS, name));
      for (const made of [whole, inPieces])
        expect(namesInResult(made).sort()).toEqual([...Object.keys(OURS), ...rest].sort());
      const fast = rewriteCommonResponse(bytes, '7', '"new"', ADDED);
      if (fast === undefined) return;
      short++;
      expect(Buffer.from(fast).toString()).toBe(whole);
    }),
    { numRuns: 3_000, seed: 20260728 },
  );
  expect(passed).toBeGreaterThan(1_500);
  expect(short).toBeGreaterThan(50);
});
