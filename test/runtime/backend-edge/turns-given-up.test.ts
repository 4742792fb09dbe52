/** A call has a slot while one of its requests is pending, and not while it waits between attempts. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { BackendEra, type EraName } from '../../../runtime/gateway/backends/era/era.ts';
import { sendJson, startRawServer } from '../../support/raw-server.ts';
import { Edge, planFor, send } from './harness.ts';
import { answerTo } from './raw-peer.ts';

const edge = new Edge();
afterEach(() => edge.dispose());

test('calls whose session the backend has forgotten let the request that opens a new session pass the limit of concurrent calls', async () => {
  let sessions = 0;
  const server = await edge.server(
    startRawServer((request, response) => {
      const { message, headers } = request;
      if (message?.method === 'initialize') {
        const identity = '{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"a","version":"1"}}';
        sendJson(response, answerTo(request, identity), { 'mcp-session-id': `s-${++sessions}` });
      } else if (message?.id === undefined) response.writeHead(202).end();
      else if (headers['mcp-session-id'] === 's-1') response.writeHead(404).end();
      else sendJson(response, answerTo(request, '{}'));
    }),
  );
  const session = edge.sessionful(planFor(server.origin), edge.client({ connections: 2 }));
  await session.open();
  const calls = await Promise.all(Array.from({ length: 5 }, () => send(session, 'x')));
  expect(calls.map(({ error }) => error)).toEqual(calls.map(() => undefined));
  expect(sessions).toBe(2);
});

describe('a request that was not sent does not change the era of its backend', () => {
  /** A client whose only slot is taken. */
  function full() {
    const client = edge.client({ connections: 1 });
    client.turns.take({ turn: 'none', onTurn() {} });
    return { client, take: vi.spyOn(client.turns, 'take') };
  }

  test.each<[name: string, known: EraName | undefined]>([
    ['of unknown era', undefined],
    ['with sessions', 'session'],
  ])(
    'a request that fails at the limit of concurrent calls does not change the known era (sessions or stateless) of a backend %s',
    async (_name, known) => {
      const server = await edge.server(startRawServer((_request, response) => void response.end()));
      const era = new BackendEra(known === undefined ? {} : { known });
      const { client, take } = full();
      const session = edge.session(planFor(server.origin, 'streamable-http', 100), client, { era });
      expect((await send(session, 'x')).error?.reason).toBe('busy');
      expect(era.known).toBe(known);
      expect(take).toHaveBeenCalledTimes(1);
      expect(server.requests).toEqual([]);
    },
  );
});
