/** A request that still runs when the time to drain is over gets an answer, which says whether the request may have had an effect. */
import { expect, test } from 'vitest';
import type { ClientResponder } from '../../../runtime/mcp/handler.ts';
import { findHeaders, formatRequest } from '../stateless-edge/requests.ts';
import { initialize, send, startGateway } from './fake-gateway.ts';
import { fakeStatelessCore } from './fake-stateless.ts';

const NOTE = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"soon"}}';
const MAY = 'the gateway was stopped while this request was running: the request may have had an effect';
const READS =
  'the gateway was stopped while this request was running: the request only reads and had no effect, so send it again';

const error = (message: string) => ({
  jsonrpc: '2.0',
  id: 1,
  error: { code: -32603, message, data: { reason: 'stopped' } },
});

const JSON_BODY = { 'Content-Type': 'application/json' };

/** A gateway with one request that never ends, and the client's answer after the gateway has stopped. */
async function stopWhile(method: string, accept: string, begin: (answer: ClientResponder) => void = () => {}) {
  const started = Promise.withResolvers<void>();
  const run = (answer: ClientResponder) => {
    begin(answer);
    started.resolve();
  };
  const onlyReads = ({ method }: { readonly method: string }) => method === 'reads';
  const stateless = {
    ...fakeStatelessCore(),
    request: (_: unknown, __: unknown, answer: ClientResponder) => run(answer),
    onlyReads,
  };
  const { url, listener } = await startGateway({ runs: run, reads: run }, { stateless }, { onlyReads });
  const post =
    accept === 'stateless'
      ? send(url, 'POST', { ...JSON_BODY, ...findHeaders({ method }) }, formatRequest({ method }))
      : send(
          url,
          'POST',
          { ...JSON_BODY, Accept: accept, 'Mcp-Session-Id': await initialize(url) },
          `{"jsonrpc":"2.0","id":1,"method":"${method}"}`,
        );
  await started.promise;
  await listener.close(100);
  const { text } = await post;
  return JSON.parse(text.split(/^data: (?=\{)/m).at(-1) ?? '') as unknown;
}

const BOTH = 'application/json, text/event-stream';

test.each<[client: string, accept: string]>([
  ['in a session', BOTH],
  ['that only accepts JSON', 'application/json'],
  ['that only accepts event streams', 'text/event-stream'],
  ['without a session', 'stateless'],
])(
  'a client %s learns that its request was stopped, and whether the request may have had an effect',
  async (_, accept) => {
    expect(await stopWhile('runs', accept)).toEqual(error(MAY));
    expect(await stopWhile('reads', accept)).toEqual(error(READS));
  },
);

test('a client whose event stream has begun learns that its request was stopped', async () => {
  expect(await stopWhile('runs', BOTH, answer => void answer.message(NOTE))).toEqual(error(MAY));
});
