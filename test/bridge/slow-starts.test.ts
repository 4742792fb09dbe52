/**
 * Servers that start so slowly that clients give up, such as servers that are downloaded first: only one process starts, and the next client uses this
 * process.
 */
import { expect, test } from 'vitest';
import { eventually, temporaryFolder } from '../support/process.ts';
import { PLAIN, plan, type RunningBridge, startBridge, TOKEN } from './running-bridge.ts';

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

function post(bridge: RunningBridge, message: object, signal?: AbortSignal, session?: string): Promise<Response> {
  return fetch(bridge.urlOf('slow'), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'lintel-bridge-token': TOKEN,
      ...(session !== undefined && { 'mcp-session-id': session }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    ...(signal !== undefined && { signal }),
  });
}

const initialize = (bridge: RunningBridge, id: unknown, signal?: AbortSignal, params: object = INITIALIZE) =>
  post(bridge, { id, method: 'initialize', params }, signal);

/** A client that disconnects after the server was started and before it has answered. */
async function givesUp(bridge: RunningBridge, id: unknown): Promise<void> {
  const end = new AbortController();
  const asked = initialize(bridge, id, end.signal);
  const gone = expect(asked).rejects.toThrow('aborted');
  await eventually(() => started(bridge) > 0);
  const before = left(bridge);
  end.abort();
  await gone;
  await eventually(() => left(bridge) > before);
}

function left(bridge: RunningBridge): number {
  return bridge.program.stderr.text.split('the client disconnected while the server started').length - 1;
}

function started(bridge: RunningBridge): number {
  return bridge.program.stderr.text.split('the server was started').length - 1;
}

async function pidOf(response: Response): Promise<string> {
  const { result } = (await response.json()) as { result: { serverInfo: { version: string } } };
  return result.serverInfo.version;
}

test.each(['before', 'after'])(
  'the next client gets the process that was started for a disconnected client, if the process answers %s this client connects',
  async when => {
    await using folder = await temporaryFolder();
    await using bridge = await startBridge({ slow: plan(PLAIN, { args: [PLAIN, 'gate', folder.file('open')] }) });
    await givesUp(bridge, 1);
    if (when === 'before') await folder.write({ open: '' });
    const asked = initialize(bridge, 'three');
    if (when === 'after') await folder.write({ open: '' });
    const response = await asked;
    const session = response.headers.get('mcp-session-id') ?? '';
    expect(await response.json()).toMatchObject({ id: 'three', result: { serverInfo: { name: 'plain' } } });
    expect(started(bridge)).toBe(1);
    await post(bridge, { method: 'notifications/initialized' }, undefined, session);
    const called = await post(bridge, { id: 4, method: 'ping' }, undefined, session);
    expect(await called.json()).toEqual({ jsonrpc: '2.0', id: 4, result: {} });
  },
);

test('the bridge gives no client a process that another client uses or waits for', async () => {
  await using folder = await temporaryFolder({ open: '' });
  await using bridge = await startBridge({ slow: plan(PLAIN, { args: [PLAIN, 'gate', folder.file('open')] }) });
  const answers = await Promise.all([initialize(bridge, 1), initialize(bridge, 1)]);
  const third = await initialize(bridge, 1);
  const pids = await Promise.all([...answers, third].map(pidOf));
  expect(new Set(pids).size).toBe(3);
});

test('a client does not get a process that was started for a disconnected client if the two clients differ in capabilities', async () => {
  await using folder = await temporaryFolder();
  await using bridge = await startBridge({ slow: plan(PLAIN, { args: [PLAIN, 'gate', folder.file('open')] }) });
  await givesUp(bridge, 1);
  await folder.write({ open: '' });
  const other = await initialize(bridge, 2, undefined, { ...INITIALIZE, capabilities: { roots: {} } });
  const same = await initialize(bridge, 3);
  expect(await pidOf(other)).not.toBe(await pidOf(same));
  expect(started(bridge)).toBe(2);
});

test('a client whose stdio server never answers gets an error', async () => {
  await using bridge = await startBridge({ slow: plan(PLAIN, { args: [PLAIN, 'silent'], startTimeoutMs: 2_000 }) });
  await givesUp(bridge, 1);
  const response = await initialize(bridge, 2);
  const { id, error } = (await response.json()) as { id: unknown; error: { message: string } };
  expect([id, error.message]).toEqual([2, expect.stringContaining('did not answer within 2 s')]);
});
