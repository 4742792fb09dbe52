/** Every server of Lintel accepts a request with one valid Host (RFC 9112, section 3.2), and answers others with HTTP 400. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Listening, SERVERS } from './listeners.ts';

const ROWS: readonly (readonly [name: string, head: string, version: string])[] = [
  ['two Host headers', 'Host: localhost\r\nHost: localhost\r\n', '1.1'],
  ['two different Host headers', 'Host: localhost\r\nhost: other.example\r\n', '1.1'],
  ['two headers in HTTP/1.0', 'Host: localhost\r\nHost: localhost\r\n', '1.0'],
  ['no header', '', '1.1'],
  ['an empty header', 'Host: \r\n', '1.1'],
  ['two hosts in one header', 'Host: localhost, other.example\r\n', '1.1'],
  ['a header with a path', 'Host: localhost/x\r\n', '1.1'],
];

describe.each(SERVERS)('$name', ({ name, start, target }) => {
  let listening: Listening;
  beforeAll(async () => {
    listening = await start();
  });
  afterAll(() => listening.close());

  test.each(ROWS)(`${name} answers 400 to a request with a wrong Host header: %s`, async (_name, head, version) => {
    expect(await statusOf(listening.url, `${target} HTTP/${version}\r\n${head}`)).toBe(400);
  });

  test(`${name} accepts a request with exactly one Host header`, async () => {
    const status = await statusOf(listening.url, `${target} HTTP/1.1\r\nHost: localhost\r\n`);
    // Without its token a bridge looks at nothing else.
    if (name === 'a bridge') expect(status).toBe(401);
    else expect(status).not.toBe(400);
  });
});

/** The status for a request without a body. */
function statusOf(url: string, head: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      socket.write(`${head}Content-Type: application/json\r\nContent-Length: 0\r\n\r\n`);
    });
    socket.setEncoding('latin1').once('data', text => {
      resolve(Number(/^HTTP\/1\.1 (\d{3}) /.exec(String(text))?.[1]));
      socket.destroy();
    });
    socket.once('error', reject);
  });
}
