/** Functions of the bridge that start no process. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StdioPlan } from '#schemas';
import { buildEnvironment } from '../../bridge/process/environment.ts';
import { LineSplitter } from '../../bridge/process/lines.ts';
import { readGroupMemory } from '../../bridge/process/memory.ts';
import { Redactor } from '../../bridge/process/redactor.ts';
import { RepeatedFailures } from '../../bridge/process/repeated-failures.ts';
import { RestartBackoff } from '../../bridge/process/restart-backoff.ts';
import { findSpan, replaceSpan } from '../../bridge/sessions/json-span.ts';

describe('lines', () => {
  function split(chunks: readonly Buffer[], maxBytes: number) {
    const lines: unknown[] = [];
    const splitter = new LineSplitter(maxBytes, {
      line: text => void lines.push(text),
      tooLong: ({ head, tail, bytes }) => void lines.push({ head, tail, bytes }),
    });
    for (const chunk of chunks) splitter.push(chunk);
    splitter.end();
    return lines;
  }

  test('the line reader of the bridge reads the same lines from chunks of any size', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' }).filter(text => text !== '' && !/[\r\n]/.test(text))),
        fc.array(fc.nat(200)),
        (lines, cuts) => {
          const bytes = Buffer.from(lines.map(line => `${line}\n`).join(''));
          const places = [0, ...cuts.map(cut => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
          const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
          expect(split(chunks, 10_000)).toEqual(lines);
        },
      ),
    );
  });

  test.each([
    ['a last line without a newline', ['a\nb'], ['a', 'b']],
    ['lines that end with CRLF', ['a\r\nb\r\n'], ['a', 'b']],
    [
      'a line beyond the limit, and the lines before and after it',
      ['a\n', '12345', '6789', '0\nb\n'],
      ['a', { head: '123456789', tail: '1234567890', bytes: 10 }, 'b'],
    ],
  ])('the line reader of the bridge reads %s', (_what, chunks, lines) => {
    expect(
      split(
        chunks.map(chunk => Buffer.from(chunk)),
        8,
      ),
    ).toEqual(lines);
  });
});

describe('the place of a member', () => {
  const key = fc.constantFrom('id', 'params', 'other', 'i"d', 'ü');
  const json = fc.letrec(tie => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      tie('list'),
      tie('object'),
    ),
    list: fc.array(tie('value'), { maxLength: 3 }),
    object: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  })).object;

  test('the bridge finds the same value of a member in a JSON text as JSON.parse, and can replace this value in the text', () => {
    fc.assert(
      fc.property(json, fc.array(key, { minLength: 1, maxLength: 3 }), fc.constantFrom(0, 2), (value, path, indent) => {
        const text = JSON.stringify(value, null, indent);
        const at = (from: unknown) =>
          path.reduce<unknown>(
            (inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
            from,
          );
        const span = findSpan(text, path);
        expect(span && JSON.parse(text.slice(span.start, span.end))).toEqual(at(JSON.parse(text)));
        if (span !== undefined) expect(at(JSON.parse(replaceSpan(text, span, '"new"')))).toBe('new');
      }),
    );
  });

  test('the bridge finds the last of two JSON members with the same name', () => {
    const text = '{"id":1,"id":2}';
    expect(findSpan(text, ['id'])).toEqual({ start: 13, end: 14 });
  });
});

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

describe('the environment', () => {
  const none: Pick<StdioPlan, 'args' | 'env' | 'inheritEnv'> = { args: [], env: [], inheritEnv: [] };

  test('a stdio server gets only the variables of the bridge that inheritEnv lists', () => {
    const own = { PATH: '/bin', HOME: '/home/a', LINTEL_TOKEN: 's3cret', AWS_PROFILE: 'a', SHELL: '() { :; }' };
    expect(buildEnvironment(none, own).variables).toEqual({ PATH: '/bin', HOME: '/home/a' });
    expect(buildEnvironment({ ...none, inheritEnv: ['AWS_PROFILE'] }, own).variables).toMatchObject({
      AWS_PROFILE: 'a',
    });
  });

  test('a stdio server gets the network variables of the bridge, but no proxy URL with a password', () => {
    const reaching = {
      HTTPS_PROXY: 'http://proxy.example.com:3128',
      NO_PROXY: 'localhost,.example.com',
      NODE_EXTRA_CA_CERTS: '/etc/ssl/company.pem',
      https_proxy: 'http://proxy.example.com:3128',
    };
    const own = { ...reaching, HTTP_PROXY: 'http://me:S3CRET@proxy.example.com:3128', NODE_OPTIONS: '--inspect' };
    expect(buildEnvironment(none, own).variables).toEqual(reaching);
  });

  test.each([
    ['--key=$(KEY)', '--key=k'],
    ['$(KEY)$(KEY)', 'kk'],
    ['$$(KEY)', '$(KEY)'],
    ['$$$(KEY)', '$k'],
    ['$(PATH)', '$(PATH)'],
    ['$KEY {KEY} $', '$KEY {KEY} $'],
  ])('the bridge expands variables in the argument %s', (arg, expected) => {
    const env = [{ name: 'KEY', value: { type: 'text', text: 'k' } } as const];
    // Inherited variables are not in the spec.
    expect(buildEnvironment({ ...none, args: [arg], env }, { PATH: '/bin' }).args).toEqual([expected]);
  });
});

test.each([
  ['in plain text', 'key pa$$word"1 end', 'key [KEY] end'],
  ['in JSON', '{"key":"pa$$word\\"1"}', '{"key":"[KEY]"}'],
  ['in a URL', '?key=pa%24%24word%221&', '?key=[KEY]&'],
  ['in Base64', Buffer.from('pa$$word"1').toString('base64'), '[KEY]'],
  ['but not a secret that is too short', 'an a', 'an a'],
])('the bridge replaces a secret in a text by the name of the secret: %s', (_how, text, expected) => {
  const redactor = new Redactor(
    new Map([
      ['KEY', 'pa$$word"1'],
      ['SHORT', 'a'],
    ]),
  );
  expect(redactor.redact(text)).toBe(expected);
});

test('the waits between restarts of a stdio server grow to 30 seconds, and are short again after the server has run for a while', () => {
  let now = 0;
  const backoff = new RestartBackoff(() => now);
  const waits = Array.from({ length: 9 }, () => {
    backoff.failed('ended');
    return backoff.waitMs();
  });
  expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  now += 30_000;
  expect(backoff.waitMs()).toBe(0);
  backoff.ended('ended', 10_000);
  expect(backoff.waitMs()).toBe(250);
  backoff.served();
  expect(backoff.waitMs()).toBe(0);
});

test('the bridge adds up the memory of all processes of a process group', async () => {
  const total = [...(await readGroupMemory()).values()].reduce((sum, bytes) => sum + bytes, 0);
  expect(total).toBeGreaterThan(process.memoryUsage.rss() / 2);
});

test('the bridge logs the first of repeated failures, each new reason, and each doubling of their number', () => {
  const failures = new RepeatedFailures();
  const add = (reason: string, count: number) => failures.add(reason, count);
  const same = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(count =>
    add(`ended with exit code 1; its log says: pid ${count}00`, count),
  );
  expect(same).toEqual(['reason', 'count', 'none', 'count', 'none', 'none', 'none', 'count', 'none']);
  expect(add('was ended by SIGKILL', 10)).toBe('reason');
  expect(add('was ended by SIGKILL', 11)).toBe('none');
  // The server has served in between.
  expect(add('was ended by SIGKILL', 1)).toBe('reason');
});
