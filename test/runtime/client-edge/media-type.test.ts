import { expect, test } from 'vitest';
import { isJson, readAccept } from '../../../runtime/http/media-type.ts';

test.each([
  [undefined, true, true],
  ['application/json, text/event-stream', true, true],
  ['text/event-stream,application/json;q=0.5', true, true],
  ['*/*', true, true],
  ['application/json', true, false],
  ['Application/*', true, false],
  ['text/event-stream', false, true],
  ['text/event-stream; charset=utf-8', false, true],
  ['*/*, application/json;q=0', false, true],
  ['text/*;q=0.0, */*', true, false],
  ['text/html', false, false],
  ['', false, false],
])('the gateway reads the Accept header %s', (header, json, eventStream) => {
  expect(readAccept(header)).toEqual({ json, eventStream });
});

test.each([
  ['application/json', true],
  ['Application/JSON; charset=utf-8', true],
  ['text/json', false],
  ['application/jsonp', false],
  ['', false],
  [undefined, false],
])('the gateway reads the Content-Type header %s', (header, expected) => {
  expect(isJson(header)).toBe(expected);
});
