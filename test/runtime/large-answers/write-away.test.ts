/** When the memory of chunks is released: after they were written, and only where no other code can need them. */
import { createServer, get, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeAndRelease } from '../../../runtime/tuning/release-buffer.ts';

let server: Server;
let answering: (res: ServerResponse) => void = () => {};

beforeAll(async () => {
  server = createServer((_req, res) => answering(res));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => void server.close());

/** What a client receives of a response that `write` begins. */
function received(write: (res: ServerResponse) => void): Promise<Buffer> {
  answering = res => {
    write(res);
    res.end('.');
  };
  return new Promise((resolve, reject) => {
    const { port } = server.address() as AddressInfo;
    get({ port, host: '127.0.0.1', agent: false }, async res => {
      const chunks: Buffer[] = [];
      for await (const chunk of res) chunks.push(chunk);
      resolve(Buffer.concat(chunks));
    }).on('error', reject);
  });
}

const KB = 1024;

/** A chunk as a socket's read gives it: a buffer that fills memory of its own. */
const read = (bytes: number): Buffer<ArrayBuffer> => Buffer.from(new ArrayBuffer(bytes)).fill('x');

test.each<[string, () => Uint8Array, boolean]>([
  ['a whole read buffer', () => read(64 * KB), true],
  ['a buffer of 16 KB', () => read(16 * KB), true],
  ['a read buffer without its beginning', () => read(64 * KB).subarray(200), true],
  ['the end of a read buffer', () => read(64 * KB).subarray(64 * KB - 1), true],
  ['as Uint8Array', () => new Uint8Array(new ArrayBuffer(64 * KB)), true],
  ['a read buffer without its end', () => read(64 * KB).subarray(0, 64 * KB - 1), false],
  ['a small buffer', () => read(16 * KB - 1), false],
  ["the end of Node's shared pool", () => Buffer.from(Buffer.from('pool').buffer, Buffer.poolSize - 8, 8), false],
])('writeAndRelease writes all bytes, and releases the memory of a large buffer: %s', async (_, make, isGivenBack) => {
  const chunk = make();
  const expected = Buffer.concat([chunk, Buffer.from('.')]);
  const bytes = await received(res => {
    writeAndRelease(res, chunk);
    expect(chunk.length).toBe(expected.length - 1); // Not before it is written.
  });
  expect(bytes.equals(expected)).toBe(true);
  expect((chunk.buffer as ArrayBuffer).detached).toBe(isGivenBack);
});

test('writeAndRelease writes two parts of one read buffer, and then releases the memory of the buffer', async () => {
  const all = read(64 * KB).fill('a', 0, 30 * KB);
  const expected = Buffer.concat([all, Buffer.from('.')]);
  const bytes = await received(res => {
    writeAndRelease(res, all.subarray(0, 30 * KB));
    writeAndRelease(res, all.subarray(30 * KB));
  });
  expect(bytes.equals(expected)).toBe(true);
  expect(all.buffer.detached).toBe(true);
});

test('writeAndRelease keeps the memory of a buffer that was not completely written', async () => {
  const chunk = read(32 * KB * KB); // More than the connection can buffer.
  const closed = new Promise<void>(resolve => {
    answering = res => {
      res.on('close', resolve);
      writeAndRelease(res, chunk);
      setImmediate(() => res.destroy());
    };
  });
  const { port } = server.address() as AddressInfo;
  get({ port, host: '127.0.0.1', agent: false }, res => void res.pause()).on('error', () => {});
  await closed;
  await new Promise(setImmediate);
  expect(chunk.buffer.detached).toBe(false);
});
