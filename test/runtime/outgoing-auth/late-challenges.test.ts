/** A caller that has to log in again when it is too late for an HTTP status: the JSON-RPC error says so. */

import { expect, test } from 'vitest';
import { BackendError } from '../../../runtime/mcp/backend-error.ts';
import { initialize, initializeText, post, startGateway } from '../client-edge/fake-gateway.ts';
import { atOnce, bearer, CHALLENGE } from '../edge-auth/tokens.ts';

const ERROR = {
  code: 401,
  message: 'backend "s": log in again',
  data: { backend: 's', reason: 'login_required' },
};

const failure = new BackendError('s', 'login_required', 'log in again');
const Authorization = bearer({ sub: 'alice' });
const text = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}';

async function called(tells: boolean, headers: Record<string, string> = {}) {
  const behaviours = {
    'tools/call': (answer: Parameters<NonNullable<Parameters<typeof startGateway>[0]>[string]>[0]) => {
      if (tells) answer.message('{"jsonrpc":"2.0","method":"notifications/message","params":{}}');
      answer.fail(failure);
    },
  };
  const { url } = await startGateway(behaviours, { authenticator: atOnce });
  const opened = await post(url, initializeText(), { Authorization });
  const session = opened.headers['mcp-session-id'] as string;
  return post(url, text, { Authorization, 'Mcp-Session-Id': session, ...headers });
}

test('the gateway answers HTTP 401 with a challenge and a JSON-RPC error when a backend refuses a call before it sends a message', async () => {
  const reply = await called(false);
  expect(reply.status).toBe(401);
  expect(reply.headers['www-authenticate']).toBe(`${CHALLENGE}, error_description="${ERROR.message}"`);
  expect(JSON.parse(reply.text)).toEqual({ jsonrpc: '2.0', id: 1, error: ERROR });
});

test('a call that a backend refuses after it has sent a message ends with a JSON-RPC error on the event stream of the call', async () => {
  const reply = await called(true);
  expect(reply.status).toBe(200);
  expect(reply.headers['content-type']).toBe('text/event-stream');
  expect(reply.text).toContain(`"error":${JSON.stringify(ERROR)}`);
});

test('a client that accepts only JSON gets HTTP 401 also when the backend refuses the call after it has sent a message', async () => {
  expect((await called(true, { Accept: 'application/json' })).status).toBe(401);
});

test('the gateway sends no challenge for a refused call if callers need no token', async () => {
  const behaviours = { 'tools/call': (answer: { fail(error: BackendError): void }) => answer.fail(failure) };
  const { url } = await startGateway(behaviours);
  const reply = await post(url, text, { 'Mcp-Session-Id': await initialize(url) });
  expect(reply.status).toBe(200);
  expect(JSON.parse(reply.text)).toEqual({ jsonrpc: '2.0', id: 1, error: ERROR });
});
