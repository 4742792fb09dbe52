/** A call that waits for its next attempt does not run, but its session must not be ended as unused. */
import { afterEach, expect, test } from 'vitest';
import { createLogger } from '#runtime';
import type { BackendContext } from '../../../runtime/gateway/backends/context.ts';
import { BackendEra } from '../../../runtime/gateway/backends/era/era.ts';
import { SessionReplay } from '../../../runtime/gateway/backends/session-replay.ts';
import { StatelessSession } from '../../../runtime/gateway/backends/stateless/stateless.ts';
import { StreamResponses } from '../../../runtime/gateway/backends/stream-responses.ts';
import { toHttpTarget } from '../../../runtime/http/exchange.ts';
import { OURSELVES } from '../../../runtime/mcp/client-traits.ts';
import { sendJson, startRawServer } from '../../support/raw-server.ts';
import { Edge, send } from './harness.ts';
import { answerTo } from './raw-peer.ts';

const edge = new Edge();
afterEach(() => edge.dispose());

test('a connection to a stateless backend counts as busy from the first attempt of a call until the final answer', async () => {
  const server = await edge.server(
    startRawServer((request, response) => {
      const isFirst = request.message.params.requestState === undefined;
      const later = '{"resultType":"input_required","requestState":"later"}';
      sendJson(response, answerTo(request, isFirst ? later : '{"content":[]}'));
    }),
  );
  const context: BackendContext = {
    backend: 'peer',
    credential: { strategy: 'unauthenticated', owner: 'nobody' },
    client: edge.client(),
    target: toHttpTarget(new URL(server.origin)),
    timeoutMs: 5_000,
    caller: OURSELVES,
    clientInfo: { name: 'lintel', version: '0' },
    headers: [],
    reconnect: { minMs: 20, maxMs: 100 },
    streamAnswers: new StreamResponses(),
    prefersSessions: false,
    tools: undefined,
    log: createLogger('silent'),
  };
  const never = () => {
    throw new Error('the era is known');
  };
  const session = new StatelessSession(context, {
    memory: new SessionReplay(undefined),
    era: new BackendEra({ known: 'stateless', freshMs: 0 }),
    watch: { onEraMismatch: never, suspectMismatch: never, notOpened: never },
  });
  const answered = send(session, 'tools/call', { name: 'x' });
  let isDone = false;
  void answered.then(() => {
    isDone = true;
  });
  const idle: boolean[] = [];
  while (!isDone) {
    if (!session.isBusy) idle.push(isDone);
    await new Promise(resolve => setImmediate(resolve));
  }
  expect((await answered).text).toContain('"content":[]');
  expect(server.requests).toHaveLength(2);
  // The response arrives before another request can probe again.
  expect(idle).toEqual([]);
  expect(session.isBusy).toBe(false);
  await session.close();
});
