/** What a registry server logs about its sources. */
import { expect, test } from 'vitest';
import { truncate } from '../../../runtime/registry/sources/reading.ts';
import { type RawHandler, sendJson } from '../../support/raw-server.ts';
import { findSourceStatus, page, readContents, server, source, sourceFile, upstream } from './harness.ts';

test('the log reports the failure of a source when it begins, when its cause changes and when it ends', async () => {
  const fail =
    (status: number): RawHandler =>
    (_, response) =>
      void response.writeHead(status).end();
  const answers: RawHandler[] = [fail(500), fail(500), fail(404), fail(500)];
  const peer = await upstream((request, response) => {
    const handler = answers.shift() ?? ((_, res) => sendJson(res, sourceFile(server('io.example/a'))));
    return handler(request, response);
  });
  const { contents, log } = await readContents([source({ type: 'url', url: `${peer.origin}/x`, timeoutMs: 10_000 })]);
  const attempts = [findSourceStatus(contents).attempts];
  for (let reading = 2; reading <= 6; reading++) {
    await contents.refresh();
    attempts.push(findSourceStatus(contents).attempts);
  }
  expect(attempts).toEqual([1, 2, 3, 4, 0, 0]);
  const failed = 'the source cannot be read; the entries that were read last stay listed';
  expect(log.filter(({ source: name }) => name === 'team').map(({ msg, cause }) => [msg, cause])).toEqual([
    [failed, `${peer.origin}/x: it answered 500`],
    [failed, `${peer.origin}/x: it answered 404`],
    [failed, `${peer.origin}/x: it answered 500`],
    ['the source can be read again', undefined],
    ['the entries of the source have changed', undefined],
  ]);
});

test('the log of the registry server has neither users, passwords, queries nor fragments of URLs', async () => {
  const peer = await upstream((request, response) => {
    if (request.path.startsWith('/list')) sendJson(response, page([server('io.example/a')], 'SECRET-cursor'));
    else response.writeHead(500).end();
  });
  const withUser = peer.origin.replace('//', '//SECRET-user:SECRET-password@');
  const { contents, log } = await readContents([
    source({ type: 'url', url: `${withUser}/x?key=SECRET-query#SECRET-fragment`, timeoutMs: 10_000 }),
    source(
      { type: 'url', url: `http://SECRET-user:SECRET-password@127.0.0.1:1/x?SECRET-query`, timeoutMs: 10_000 },
      { name: 'b' },
    ),
    source({ type: 'api', endpoint: `${withUser}/list?key=SECRET-query`, timeoutMs: 10_000 }, { name: 'c' }),
  ]);
  expect(contents.status().map(({ phase }) => phase)).toEqual(['failed', 'failed', 'failed']);
  expect(findSourceStatus(contents, 'c').message).toBe(
    `${peer.origin}/list/v0.1/servers: its pages repeat: it returned a cursor twice`,
  );
  expect(JSON.stringify([log, contents.status()])).not.toContain('SECRET');
});

test('texts of an upstream stay on one log line and within a length limit', async () => {
  const name = `x\n\u001b[31m\u202e${'y'.repeat(10_000)}`;
  const peer = await upstream((_, response) => sendJson(response, page([server('io.example/a'), { name }])));
  const { contents } = await readContents([source({ type: 'api', endpoint: peer.origin, timeoutMs: 10_000 })]);
  const { message } = findSourceStatus(contents);
  expect(message).toContain('left out: "x [31m y');
  expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(message.length).toBeLessThan(500);
});

test.each([
  ['plain', 'plain'],
  ['a\r\n\tb', 'a b'],
  ['x'.repeat(300), 'x'.repeat(300)],
  ['x'.repeat(301), `${'x'.repeat(300)}…`],
  [`${'x'.repeat(299)}😀`, `${'x'.repeat(299)}\uFFFD…`],
])('the log shortens the text %j of an upstream', (text, expected) => {
  expect(truncate(text)).toBe(expected);
});
