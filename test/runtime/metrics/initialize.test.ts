/** An `initialize` ends when its session is open: with shared sessions, after it was stored. */
import { expect, test } from 'vitest';
import type { ClientSession, InitializeRequest, McpHandler } from '../../../runtime/mcp/handler.ts';
import { WireError } from '../../../runtime/mcp/wire-error.ts';
import { RequestObserver } from '../../../runtime/observe/requests/observed-handlers.ts';

const REQUEST = { protocolVersion: '2025-11-25' } as InitializeRequest;

function observed(initialize: McpHandler<object>['initialize']) {
  const observer = new RequestObserver();
  const core = { initialize, closed: () => {} } as unknown as McpHandler<object>;
  const handler = observer.observeSessions(core, 'streamable-http');
  const counted = () =>
    [...observer.counts.series].flatMap(({ outcomes }) =>
      [...outcomes].map(({ errorType, total }) => [errorType, total.count] as const),
    );
  const session = (payload: object) => ({ payload }) as ClientSession<object>;
  return { handler, counted, session };
}

test.each([
  ['at once', (session: object) => ({ session, result: '{}' })],
  ['later', async (session: object) => ({ session, result: '{}' })],
])(
  'the metrics count an initialize request (answered %s) as one request, after its session has opened',
  async (_, answer) => {
    const payload = {};
    const { handler, counted, session } = observed(() => answer(payload));
    await handler.initialize(REQUEST);
    expect(counted(), 'while it is stored').toEqual([]);
    handler.opened?.(session(payload));
    handler.closed(session(payload), false);
    expect(counted()).toEqual([['', 1]]);
  },
);

test('the metrics count an initialize whose session cannot be stored as an error', async () => {
  const payload = {};
  const { handler, counted, session } = observed(() => ({ session: payload, result: '{}' }));
  await handler.initialize(REQUEST);
  handler.closed(session(payload), false);
  expect(counted()).toEqual([['not_opened', 1]]);
});

test('the metrics count a refused initialize with its error, and no initialize for a session that another replica opened', async () => {
  const { handler, counted, session } = observed(async () => {
    throw new WireError(-32000, 'no');
  });
  await expect(handler.initialize(REQUEST)).rejects.toThrow('no');
  handler.closed(session({}), false);
  expect(counted()).toEqual([['-32000', 1]]);
});
