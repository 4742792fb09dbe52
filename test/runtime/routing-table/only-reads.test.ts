/** Which requests have no effect, so that a client may send them again when their answer is lost. */
import { expect, test } from 'vitest';
import { onlyReads } from '../../../runtime/gateway/routing/only-reads.ts';

const route = (annotations: unknown) => ({ backend: 'a', originalName: 'a', annotations });
const tools = new Map([
  ['reads', route({ readOnlyHint: true })],
  ['writes', route({ readOnlyHint: false })],
  ['unmarked', route(undefined)],
  ['odd', route('readOnlyHint')],
]);

test.each<[method: string, name: string | undefined, expected: boolean]>([
  ['tools/call', 'reads', true],
  ['tools/call', 'writes', false],
  ['tools/call', 'unmarked', false],
  ['tools/call', 'odd', false],
  ['tools/call', 'unknown', false],
  ['tools/call', undefined, false],
  ['tools/list', undefined, true],
  ['resources/read', undefined, true],
  ['prompts/get', 'writes', true],
  ['tasks/cancel', undefined, false],
  ['resources/subscribe', undefined, false],
  ['company/anything', 'reads', false],
])('whether a request with method %s and name %s counts as one without effect: %s', (method, name, expected) => {
  expect(onlyReads({ tools }, method, name)).toBe(expected);
});
