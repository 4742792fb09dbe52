import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { createLogger } from '#runtime';
import { startHanded } from '../../../runtime/http/listener.ts';

test('connections that the primary passes to a worker have the usual time limits, and may be half closed', async () => {
  const handed = startHanded({
    routes: new Map([['/x', (_, res) => void setImmediate(() => res.end('answered'))]]),
    log: createLogger('silent'),
    times: { headersMs: 2_000, requestMs: 2_000, idleMs: 60_000, unreadMs: 60_000 },
  });
  const server = createServer(socket => handed.take(socket));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const answerTo = (text: string, isEnded: boolean) =>
    new Promise<string>(resolve => {
      let answer = '';
      const socket = connect(port, '127.0.0.1', () => (isEnded ? socket.end(text) : socket.write(text)));
      socket.on('data', chunk => {
        answer += chunk;
      });
      socket.on('close', () => resolve(answer));
    });
  expect(await answerTo('GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', true)).toContain('answered');
  expect(await answerTo('GET /x HTTP/1.1\r\nHost: local', false), 'the head never ends').toContain('408');
  server.close();
  await handed.close(0);
});
