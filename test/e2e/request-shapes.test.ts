/**
 * Requests that two servers in a row could take for different ones (request smuggling; RFC 9112, section 11.2), at every server of ours: what is
 * sent behind such a request is never answered as a request of its own.
 */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Listening, SERVERS } from './listeners.ts';

const BODY = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const SIZE = BODY.length;
const CHUNKED = `${SIZE.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;

/** Rows of: the name, lines of the request's head, and a body in a form that a parser may take for another. */
const ROWS: readonly (readonly [name: string, head: string, body: string])[] = [
  ['both lengths', `Content-Length: ${SIZE}\r\nTransfer-Encoding: chunked\r\n`, CHUNKED],
  ['both lengths, the other way round', 'Transfer-Encoding: chunked\r\nContent-Length: 4\r\n', CHUNKED],
  ['one length twice', `Content-Length: ${SIZE}\r\nContent-Length: ${SIZE}\r\n`, BODY],
  ['two lengths', `Content-Length: ${SIZE}\r\nContent-Length: 0\r\n`, BODY],
  ['a list of lengths', `Content-Length: ${SIZE}, ${SIZE}\r\n`, BODY],
  ['a length with a sign', `Content-Length: +${SIZE}\r\n`, BODY],
  ['a negative length', 'Content-Length: -1\r\n', BODY],
  ['a length in hexadecimal', 'Content-Length: 0x28\r\n', BODY],
  ['a length beyond all numbers', 'Content-Length: 99999999999999999999\r\n', BODY],
  ['a space before the colon of the length', `Content-Length : ${SIZE}\r\n`, BODY],
  ['a space before the colon of the encoding', 'Transfer-Encoding : chunked\r\n', CHUNKED],
  ['an encoding that looks alike', 'Transfer-Encoding: xchunked\r\n', CHUNKED],
  ['an encoding that does not end with chunks', 'Transfer-Encoding: chunked, identity\r\n', CHUNKED],
  ['an encoding twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', CHUNKED],
  ['an encoding behind a vertical tab', 'Transfer-Encoding: \x0bchunked\r\n', CHUNKED],
  ['an encoding on a folded line', 'Transfer-Encoding:\r\n chunked\r\n', CHUNKED],
  ['a folded line', `X-A: a\r\n b\r\nContent-Length: ${SIZE}\r\n`, BODY],
  ['lines that end with LF', `X-A: a\nContent-Length: ${SIZE}\r\n`, BODY],
  ['a CR within a line', `X-A: a\rContent-Length: ${SIZE}\r\n`, BODY],
  ['a NUL in a header', `X-A: a\x00b\r\nContent-Length: ${SIZE}\r\n`, BODY],
  ['a header without a name', `: a\r\nContent-Length: ${SIZE}\r\n`, BODY],
  ['a header without a colon', `X-A\r\nContent-Length: ${SIZE}\r\n`, BODY],
  ['a chunk of a negative size', 'Transfer-Encoding: chunked\r\n', `-1\r\n${BODY}\r\n0\r\n\r\n`],
  ['a chunk of a size with a prefix', 'Transfer-Encoding: chunked\r\n', `0x28\r\n${BODY}\r\n0\r\n\r\n`],
  ['a chunk of a size beyond all numbers', 'Transfer-Encoding: chunked\r\n', `ffffffffffffffffff\r\n${BODY}`],
  ['a chunk whose size ends with LF', 'Transfer-Encoding: chunked\r\n', `28\n${BODY}\r\n0\r\n\r\n`],
  ['a chunk with an extension that ends with LF', 'Transfer-Encoding: chunked\r\n', `28;a\n${BODY}\r\n0\r\n\r\n`],
  ['a chunk without its end', 'Transfer-Encoding: chunked\r\n', `28\r\n${BODY}0\r\n\r\n`],
];

/** The path of the second request, which no server may answer. */
const SECOND = '/behind-the-first';

const ABSOLUTE: readonly (readonly [name: string, origin: string])[] = [
  ['another host', 'http://other.example'],
  ['another host behind the name of the server', 'http://localhost@other.example'],
  ['another host below ours', 'http://localhost.other.example'],
];

describe.each(SERVERS)('$name', ({ name, start, target }) => {
  let listening: Listening;
  beforeAll(async () => {
    listening = await start();
  });
  afterAll(() => listening.close());

  test.each(ROWS)(
    `${name} does not read the bytes behind a request with %s as a second request`,
    async (_name, head, body) => {
      const [, path = ''] = target.split(' ');
      const first = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${head}\r\n${body}`;
      const statuses = await statusesOf(
        listening.url,
        `${first}GET ${SECOND} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      );
      // A server may refuse the head before it has read the body; the rest is no request.
      const [refusal, ...rest] = statuses;
      expect([400, 401, 405]).toContain(refusal);
      expect(rest).toEqual(rest.length === 0 ? [] : [400]);
    },
  );

  test.each(ABSOLUTE)(`${name} does not accept a request target that names %s`, async (_name, origin) => {
    const [method, path = ''] = target.split(' ');
    const request = (from: string) =>
      `${method} ${from}${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
    const [status] = await statusesOf(listening.url, request(origin), 1);
    const [usual] = await statusesOf(listening.url, request(''), 1);
    // Probes and public documents are the same for all; everything else is refused, or is not there.
    if (['a gateway', 'a gateway over HTTP+SSE'].includes(name)) expect(status).toBe(403);
    else expect([400, 403, 404, 421, usual]).toContain(status);
  });
});

/**
 * The statuses of all answers on one connection, until the server closes it.
 *
 * @param most how many are waited for; default: all
 */
function statusesOf(url: string, bytes: string, most = Number.POSITIVE_INFINITY): Promise<readonly number[]> {
  return new Promise((resolve, reject) => {
    let text = '';
    const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(Buffer.from(bytes, 'latin1')));
    const end = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(statuses());
    };
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the connection is open after a minute; so far: ${text}`));
    }, 60_000);
    socket.setEncoding('latin1').on('data', chunk => {
      text += chunk;
      if (statuses().length >= most) end();
    });
    socket.once('end', end).once('close', end);
    socket.once('error', error => (text === '' ? reject(error) : end()));
  });
}
