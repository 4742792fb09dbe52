import { expect, test } from 'vitest';
import { replaceStrings } from '../../../runtime/gateway/tasks/replace-strings.ts';

const PATHS = [
  ['result', 'taskId'],
  ['result', '_meta', 'io.modelcontextprotocol/related-task', 'taskId'],
];

test.each([
  ['at one path', '{"result":{"taskId":"a"}}', '{"result":{"taskId":"<a>"}}'],
  [
    'between spaces',
    ' { "result" : { "n":1.0 , "taskId" : "a" } } ',
    ' { "result" : { "n":1.0 , "taskId" : "<a>" } } ',
  ],
  ['written with escapes', '{"result":{"task\\u0049d":"\\u0061"}}', '{"result":{"task\\u0049d":"<a>"}}'],
  [
    'with an escaped slash',
    '{"result":{"_meta":{"io.modelcontextprotocol\\/related-task":{"taskId":"b"}},"taskId":"a"}}',
    '{"result":{"_meta":{"io.modelcontextprotocol\\/related-task":{"taskId":"<b>"}},"taskId":"<a>"}}',
  ],
  [
    'with characters that need escapes',
    '{"result":{"taskId":"\\"\\n\\ud83d\\ude00"}}',
    '{"result":{"taskId":"<\\"\\n😀>"}}',
  ],
  [
    'after big numbers',
    '{"id":12345678901234567890,"result":{"taskId":"a"}}',
    '{"id":12345678901234567890,"result":{"taskId":"<a>"}}',
  ],
  ['only at the given paths', '{"taskId":"a","result":{"x":{"taskId":"a"}}}', undefined],
  ['but not an object', '{"result":{"taskId":{"taskId":"a"}}}', undefined],
  ['but not in a list', '{"result":[{"taskId":"a"}]}', undefined],
  ['only if it exists', '{}', undefined],
  ['only if the replacement is defined', '{"result":{"taskId":"keep"}}', undefined],
])('replaceStrings replaces a string %s', (_, text, expected) => {
  expect(replaceStrings(text, PATHS, id => (id === 'keep' ? undefined : `<${id}>`))).toBe(expected ?? text);
});

test.each(['{"result":', '{"result":{"taskId" "a"}}', '{"a":1 "b":2}', ''])(
  'replaceStrings refuses the invalid JSON %j',
  text => {
    expect(() => replaceStrings(text, PATHS, id => id)).toThrow();
  },
);
