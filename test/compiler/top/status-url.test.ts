import { expect, test } from 'vitest';
import { UsageError } from '#compiler';
import { toStatusUrl } from '../../../compiler/top/index.ts';

test.each([
  ['http://127.0.0.1:8081', 'http://127.0.0.1:8081/status'],
  ['http://127.0.0.1:8081/', 'http://127.0.0.1:8081/status'],
  ['http://127.0.0.1:8081/status', 'http://127.0.0.1:8081/status'],
  ['https://proxy.example.com/a/status?x=1#y', 'https://proxy.example.com/a/status?x=1'],
  ['localhost:8081', 'http://localhost:8081/status'],
  ['[::1]:8081', 'http://[::1]:8081/status'],
  ['8081', 'http://127.0.0.1:8081/status'],
  [':8081', 'http://127.0.0.1:8081/status'],
])('lintel top with the argument %s reads %s', (given, url) => {
  expect(toStatusUrl(given).href).toBe(url);
});

test.each(['ftp://127.0.0.1', 'http://', '/tmp/status.json://', 'http://a b', ''])(
  'lintel top refuses the URL %j',
  given => {
    expect(() => toStatusUrl(given)).toThrow(UsageError);
  },
);

test('lintel top refuses credentials in the URL, and does not repeat them', () => {
  const given = 'http://ann:secret@127.0.0.1:8081';
  expect(() => toStatusUrl(given)).toThrow(/leave them out/);
  expect(() => toStatusUrl(given)).not.toThrow(/secret/);
});
