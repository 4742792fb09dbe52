/** The functions that read and replace members of JSON objects in their text. */
import { expect, test } from 'vitest';
import { followUp, RequestMeta } from '../../../runtime/gateway/backends/stateless/request-text.ts';
import { encodeHeaderValue } from '../../../runtime/mcp/header-value.ts';
import { findMember, iterateMembers, removeMembers, setMembers } from '../../../runtime/mcp/json/members.ts';

const META = new RequestMeta(
  new Map([
    ['k/v', '"1"'],
    ['k/c', '{}'],
  ]),
);
const OURS = '"k/v":"1","k/c":{}';

test.each([
  ['{}', { a: '1' }, '{"a":1}'],
  ['{ }', { a: '1' }, '{"a":1 }'],
  ['{"b":[1,{"a":2}]}', { a: '1' }, '{"a":1,"b":[1,{"a":2}]}'],
  ['{"a" : 12345678901234567890 , "b":2}', { a: '1' }, '{"a" : 1 , "b":2}'],
  ['{"b":2,"\\u0061":{"x":"}"}}', { a: '1', c: '"3"' }, '{"c":"3","b":2,"\\u0061":1}'],
  ['{"a":1,"a":2}', { a: '3' }, '{"a":3,"a":3}'],
])('setMembers changes the members of %s to %j', (text, entries, expected) => {
  expect(setMembers(text, 0, new Map(Object.entries(entries as Record<string, string>)))).toBe(expected);
});

test.each([
  ['{}', '{}'],
  ['{ "a":1 }', '{}'],
  ['{"a":1,"b":2}', '{"b":2}'],
  ['{"b":2,"a":1}', '{"b":2}'],
  ['{ "b" : 1.50 , "\\u0061":{"a":"}"} , "c":{"a":1},"a":2 }', '{"b" : 1.50,"c":{"a":1}}'],
  ['x{"b":[1]} y', 'x{"b":[1]} y'],
])('removeMembers removes the member "a" of %s', (text, expected) => {
  expect(removeMembers(text, text.indexOf('{'), new Set(['a']))).toBe(expected);
});

test('iterateMembers lists the members of an object in order, and findMember finds the last of two members with one name', () => {
  const text = '{"a":[1,2],"b":"x","a":{}}';
  expect([...iterateMembers(text, 0)].map(({ name, start, end }) => [name, text.slice(start, end)])).toEqual([
    ['a', '[1,2]'],
    ['b', '"x"'],
    ['a', '{}'],
  ]);
  expect(findMember(text, 0, 'a')).toMatchObject({ start: 23, end: 25 });
  expect(findMember(text, 0, 'c')).toBeUndefined();
  expect(() => [...iterateMembers('[1]', 0)]).toThrow('invalid JSON at character 0');
});

test.each([
  ['{"id":1,"params":{"name":"x"}}', `{"id":1,"params":{"_meta":{${OURS}},"name":"x"}}`],
  ['{"id":1,"params":{}}', `{"id":1,"params":{"_meta":{${OURS}}}}`],
  ['{"id":1}', `{"params":{"_meta":{${OURS}}},"id":1}`],
  [' {"params" : { "name":1}, "id":1}', ` {"params" : {"_meta":{${OURS}}, "name":1}, "id":1}`],
  ['{"params":{"_meta":{"progressToken":1}}}', `{"params":{"_meta":{${OURS},"progressToken":1}}}`],
  ['{"params":{"_meta":{}}}', `{"params":{"_meta":{${OURS}}}}`],
  ['{"params":{"\\u005fmeta":{"a":1}}}', `{"params":{"\\u005fmeta":{${OURS},"a":1}}}`],
  ['{"params":{"_meta":{"k/v":"9","a":1}}}', '{"params":{"_meta":{"k/c":{},"k/v":"1","a":1}}}'],
  ['{"params":{"_meta":null}}', `{"params":{"_meta":{${OURS}}}}`],
  // Inside another member: only the one in `params` counts.
  ['{"params":{"arguments":{"_meta":{"a":1}}}}', `{"params":{"_meta":{${OURS}},"arguments":{"_meta":{"a":1}}}}`],
  ['{"x":{"params":1},"params":{"a":1}}', `{"x":{"params":1},"params":{"_meta":{${OURS}},"a":1}}`],
])('the gateway adds its own members to the _meta in the params of the request %s', (text, expected) => {
  expect(META.addTo(text)).toBe(expected);
});

test('followUp copies a request with another id and additional members in its params, and changes no other text', () => {
  const text = '{"jsonrpc":"2.0","params":{"name":"x","arguments":{"id":1}},"id":7}';
  expect(followUp(text, '"n"', new Map([['requestState', '"s"']]))).toBe(
    '{"jsonrpc":"2.0","params":{"requestState":"s","name":"x","arguments":{"id":1}},"id":"n"}',
  );
});

test.each([
  ['us-west1', 'us-west1'],
  ['a b', 'a b'],
  ['', '=?base64??='],
  [' padded ', '=?base64?IHBhZGRlZCA=?='],
  ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
  ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
  ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
])('encodeHeaderValue encodes %j so that a header can have it', (value, expected) => {
  expect(encodeHeaderValue(value)).toBe(expected);
});
