/** A backend that hangs next to a healthy one: how much of the gateway each may use. */
import { expect, onTestFinished, test } from 'vitest';
import {
  type CallsStatus,
  MAX_OPEN_CALLS,
  MAX_OPEN_OF_SESSION,
} from '../../../runtime/gateway/backends/health/bulkhead.ts';
import { MAX_RUNNING_REQUESTS } from '../../../runtime/mcp/running-requests.ts';
import { backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { type BreakingBackend, startBreakingBackend } from '../circuit-breaker/breaking-backend.ts';
import { ask, findHeaders, formatRequest } from '../stateless-edge/requests.ts';

/** Longer than any test, so that hanging calls do not time out. */
const FOREVER_MS = 600_000;

/** Most messages in one request of revision 2025-03-26. */
const BATCH = 100;

interface Answer {
  readonly id?: number | string;
  readonly result?: object;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: { readonly backend?: string; readonly reason?: string };
  };
}

const RUNNING = 64;
const FULL = `backend "hung": ${MAX_OPEN_CALLS} requests wait for its answers, which is the limit for one backend; this one was not sent`;

async function backend(): Promise<BreakingBackend> {
  const started = await startBreakingBackend();
  onTestFinished(() => started.close());
  return started;
}

async function serving(): Promise<{ hung: BreakingBackend; well: BreakingBackend; gateway: TestGateway }> {
  const [hung, well] = [await backend(), await backend()];
  const plans = [
    backendPlan('hung', hung.url, { timeoutMs: FOREVER_MS }),
    backendPlan('well', well.url, { timeoutMs: FOREVER_MS }),
  ];
  const gateway = await startGateway({ backends: plans });
  onTestFinished(() => gateway.stop());
  await gateway.ready();
  return { hung, well, gateway };
}

const callsOf = async (gateway: TestGateway, name: string) =>
  (await gateway.status()).backends.find(backend => backend.name === name)?.calls;

const stateless = async (url: string, name: string): Promise<Answer> =>
  JSON.parse((await ask(url, { method: 'tools/call', params: { name, arguments: {} } })).text);

const call = (id: number, name: string) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {} },
});

/** A session of the revision that has batches. */
class Batches {
  private readonly _url: string;
  private readonly _session: string;
  private readonly _abort = new AbortController();
  private _id = 1;

  private constructor(url: string, session: string) {
    this._url = url;
    this._session = session;
  }

  static async open(url: string): Promise<Batches> {
    const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'batches', version: '1' } };
    const response = await post(url, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
    await response.text();
    const batches = new Batches(url, response.headers.get('mcp-session-id') ?? '');
    await (await batches._post({ jsonrpc: '2.0', method: 'notifications/initialized' })).text();
    onTestFinished(() => batches.leave());
    return batches;
  }

  /** Starts concurrent calls; their responses come in any order. */
  calls(count: number, name: string): Promise<Answer[]> {
    const messages = Array.from({ length: count }, () => call(++this._id, name));
    const parts = Array.from({ length: Math.ceil(count / BATCH) }, (_, at) =>
      messages.slice(at * BATCH, (at + 1) * BATCH),
    );
    return Promise.all(parts.map(async part => answersIn(await (await this._post(part)).text()))).then(all =>
      all.flat(),
    );
  }

  async end(): Promise<void> {
    await fetch(this._url, { method: 'DELETE', headers: { 'mcp-session-id': this._session } });
  }

  /** Aborts what is pending. */
  leave(): void {
    this._abort.abort();
  }

  private _post(message: object): Promise<Response> {
    return post(this._url, message, { 'mcp-session-id': this._session }, this._abort.signal);
  }
}

function post(
  url: string,
  message: object,
  headers: object = {},
  signal: AbortSignal | null = null,
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(message),
    signal,
  });
}

/** The responses in a JSON document or an event stream. */
function answersIn(text: string): Answer[] {
  const documents =
    text.startsWith('[') || text.startsWith('{')
      ? [text]
      : [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => data);
  return documents.flatMap(document => JSON.parse(document) as Answer | Answer[]);
}

/** Opens sessions and makes so many calls that no further call may wait for the backend. */
async function fill(
  sessions: readonly Batches[],
  gateway: TestGateway,
): Promise<{ readonly answers: Promise<Answer[]> }> {
  const parts = sessions.map((session, at) => {
    const count = Math.min(MAX_OPEN_OF_SESSION, MAX_OPEN_CALLS - at * MAX_OPEN_OF_SESSION);
    return session.calls(count, 'hung_x');
  });
  const answers = Promise.all(parts).then(all => all.flat());
  answers.catch(() => {});
  await eventually(async () => (await callsOf(gateway, 'hung'))?.open === MAX_OPEN_CALLS);
  return { answers };
}

const openSessions = ({ url }: TestGateway): Promise<Batches[]> =>
  Promise.all(Array.from({ length: Math.ceil(MAX_OPEN_CALLS / MAX_OPEN_OF_SESSION) }, () => Batches.open(url)));

test('all calls to a healthy backend succeed while another backend hangs and the gateway refuses calls beyond the limit for it', async () => {
  const { hung, well, gateway } = await serving();
  const sessions = await openSessions(gateway);
  // The backend opens a session for each of them before it hangs.
  await Promise.all(sessions.map(session => session.calls(1, 'hung_x')));
  const before = hung.callCount;
  hung.calls = 'hang';
  const { answers } = await fill(sessions, gateway);
  await eventually(async () => (await callsOf(gateway, 'hung'))?.waiting === MAX_OPEN_CALLS - RUNNING);
  await eventually(() => hung.underWay === RUNNING);

  const client = new RawClient(gateway.url);
  await client.open();
  const inSession = async (name: string) =>
    JSON.parse((await client.request('tools/call', { name, arguments: {} })).text) as Answer;
  const refused = { code: -32603, message: FULL, data: { backend: 'hung', reason: 'busy' } };
  for (let turn = 0; turn < 100; turn++) {
    const [a, b, c, d] = await Promise.all([
      stateless(gateway.url, 'well_x'),
      inSession('well_x'),
      stateless(gateway.url, 'hung_x'),
      inSession('hung_x'),
    ]);
    expect([a.result, b.result]).toMatchObject([{ content: [] }, { content: [] }]);
    expect([c.error, d.error]).toEqual([refused, refused]);
  }
  // A client that waits for one backend can call the other in the same session.
  const beside = await Promise.all(sessions.map(session => session.calls(BATCH, 'well_x')));
  expect(beside.flat().filter(({ result }) => result !== undefined)).toHaveLength(sessions.length * BATCH);
  expect(well.callCount).toBe(200 + sessions.length * BATCH);
  expect(hung.callCount - before, 'nothing that was refused was sent').toBe(RUNNING);
  expect(await callsOf(gateway, 'hung')).toEqual({
    open: MAX_OPEN_CALLS,
    running: RUNNING,
    waiting: MAX_OPEN_CALLS - RUNNING,
    parked: 0,
    largeTexts: 0,
    sent: MAX_OPEN_CALLS + sessions.length,
    refused: 200,
    ceilings: { open: 2_000, openOfSession: 256, running: 64, parked: 1_000, largeTexts: 268_435_456 },
  });
  expect(await callsOf(gateway, 'well')).toMatchObject({ open: 0, running: 0, waiting: 0, refused: 0 });
  const page = await (await fetch(`${gateway.internalUrl}/metrics`)).text();
  expect(page).toMatch(/^lintel_gateway_backend_calls_refused_total\{target_workload_name="hung"[^}]*\} 200$/m);

  hung.calls = 'well';
  hung.answerAll();
  const answered = await answers;
  expect(answered.filter(({ result }) => result !== undefined)).toHaveLength(MAX_OPEN_CALLS);
  expect(await callsOf(gateway, 'hung')).toMatchObject({ open: 0, running: 0, waiting: 0, refused: 200 });
  expect(await stateless(gateway.url, 'hung_x')).toHaveProperty('result');
});

test('at most half of the concurrent requests of a session may wait for the answers of one backend', async () => {
  const { hung, gateway } = await serving();
  hung.calls = 'hang';
  const session = await Batches.open(gateway.url);
  const waiting = session.calls(MAX_OPEN_OF_SESSION, 'hung_x');
  waiting.catch(() => {});
  await eventually(async () => (await callsOf(gateway, 'hung'))?.open === MAX_OPEN_OF_SESSION);
  const message = `backend "hung": ${MAX_OPEN_OF_SESSION} requests of this session wait for its answers, which is the limit for one session; this one was not sent`;
  for (const { error } of await session.calls(BATCH, 'hung_x')) {
    expect(error).toEqual({ code: -32603, message, data: { backend: 'hung', reason: 'busy' } });
  }
  expect(await callsOf(gateway, 'hung')).toMatchObject({ open: MAX_OPEN_OF_SESSION, refused: BATCH });
  const beside = await session.calls(MAX_RUNNING_REQUESTS - MAX_OPEN_OF_SESSION, 'well_x');
  expect(beside.every(({ result }) => result !== undefined)).toBe(true);
  // Another session has its own share.
  const other = await Batches.open(gateway.url);
  other.calls(1, 'hung_x').catch(() => {});
  await eventually(async () => (await callsOf(gateway, 'hung'))?.open === MAX_OPEN_OF_SESSION + 1);
});

test('a call no longer counts toward the limit of calls to its backend once it has ended in any way', async () => {
  const { hung, gateway } = await serving();
  const sessions = await openSessions(gateway);
  await Promise.all(sessions.map(session => session.calls(1, 'hung_x')));
  hung.calls = 'hang';
  // Stateless clients close their connections.
  const abort = new AbortController();
  const request = { method: 'tools/call', params: { name: 'hung_x', arguments: {} } };
  const broken = Array.from({ length: 100 }, () => {
    return post(gateway.url, JSON.parse(formatRequest(request)), findHeaders(request), abort.signal).catch(() => {});
  });
  await eventually(async () => (await callsOf(gateway, 'hung'))?.open === 100);
  abort.abort();
  await Promise.all(broken);
  await eventually(async () => (await callsOf(gateway, 'hung'))?.open === 0);
  expect(await callsOf(gateway, 'hung')).toMatchObject({ waiting: 0, refused: 0 });

  // Clients end their sessions, with calls that were sent and calls that were queued.
  await fill(sessions, gateway);
  await Promise.all(sessions.splice(0, 4).map(session => session.end()));
  const left = MAX_OPEN_CALLS - 4 * MAX_OPEN_OF_SESSION;
  await eventually(async () => {
    const { open, running, waiting } = (await callsOf(gateway, 'hung')) as CallsStatus;
    return open === left && running === RUNNING && waiting === left - RUNNING;
  });
  // The backend closes its connections: calls that were sent fail, and queued ones are sent next.
  hung.calls = 'down';
  hung.breakAll();
  await eventually(async () => (await callsOf(gateway, 'hung'))?.open === 0);
  expect(await callsOf(gateway, 'hung')).toMatchObject({ running: 0, waiting: 0, parked: 0 });
});

test('calls that wait until a hanging backend opens a session count toward the limit of calls to this backend', async () => {
  const { hung, gateway } = await serving();
  hung.rest = 'hang';
  await fill(await openSessions(gateway), gateway);
  expect(hung.callCount, 'no session was opened').toBe(0);
  expect((await stateless(gateway.url, 'hung_x')).error?.message).toBe(FULL);
  expect(await stateless(gateway.url, 'well_x')).toHaveProperty('result');
});
