/** `lintel` reserves the port of a bridge, because other processes get the bridge's address before the bridge starts. */
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { holdFreePort } from '../../../compiler/commands/serving/ports.ts';

function listenOn(port: number): Promise<string> {
  const server = createServer();
  return new Promise(resolve => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve('free')));
  });
}

test('until holdFreePort releases the port that it holds, no server can listen on this port', async () => {
  const held = await holdFreePort();
  expect(await listenOn(held.port)).toBe('EADDRINUSE');
  held.release();
  expect(await listenOn(held.port)).toBe('free');
  held.release();
});
