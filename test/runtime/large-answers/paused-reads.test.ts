/** When the HTTP client pauses, it puts back unread bytes: released memory must not contain any of them. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createHttpClient } from '../../../runtime/http/client.ts';
import { type Exchange, startExchange } from '../../../runtime/http/exchange.ts';
import { isRestOfMemory } from '../../../runtime/tuning/release-buffer.ts';

const PIECES = 3_000;

/** The nth piece of the response. Most are short enough that one read contains many, some so long that they exceed a read. */
const piece = (n: number): string => `${n},`.repeat(n % 50 === 0 ? 30_000 : 1 + (n % 97));

test('the HTTP client of the runtime loses no byte when it pauses the reading of an answer in the middle of a chunk', async () => {
  const server = createServer(async (_req, res) => {
    for (let n = 0; n < PIECES; n++) {
      if (!res.write(piece(n))) await new Promise(resolve => res.once('drain', resolve));
    }
    res.end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const client = createHttpClient({ addresses: 'any' });
  const counts = { kept: 0, givenBack: 0 };
  const text = await new Promise<string>((resolve, reject) => {
    let received = '';
    const target = { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, path: '/' };
    const exchange: Exchange = startExchange(
      client.requests,
      { target, method: 'GET', headers: [] },
      {
        head() {},
        data(chunk) {
          received += chunk.toString('latin1');
          const pauses = (counts.kept + counts.givenBack) % 40 === 0;
          if (pauses) exchange.pause();
          // As after a write: at once, and before reading continues.
          if (isRestOfMemory(chunk)) {
            counts.givenBack++;
            queueMicrotask(() => (chunk.buffer as ArrayBuffer).transfer(0));
          } else counts.kept++;
          if (pauses) setImmediate(() => exchange.resume());
        },
        end: () => resolve(received),
        failed: reject,
      },
    );
  });
  expect(text).toBe(Array.from({ length: PIECES }, (_, n) => piece(n)).join(''));
  expect(counts.kept).toBeGreaterThan(PIECES / 2);
  expect(counts.givenBack).toBeGreaterThan(0);
  await client.close();
  server.close();
});
