/** A call's slot lasts as long as its connection is in use, however the call ends, and is released exactly once. */
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, type TestContext, test } from 'vitest';
import type { HttpClient } from '../../../runtime/http/client.ts';
import { type LimitedRequest, MAX_PARKED, type TurnState } from '../../../runtime/http/concurrency-limiter.ts';
import { eventText, openEvents, type RawRequest, startRawServer, withHandshake } from '../../support/raw-server.ts';
import { Edge, eventually, planFor, RecordingSink, send } from './harness.ts';
import { answerTo } from './raw-peer.ts';

class Taker implements LimitedRequest {
  turn: TurnState = 'none';
  onTurn(): void {}
}

/** Takes every slot, and suspends as many calls as allowed: exactly that many must be free. */
function areAllFree({ turns }: HttpClient, count: number): boolean {
  const takers = Array.from({ length: count + 1 }, () => new Taker());
  const taken = takers.filter(taker => turns.take(taker)).length;
  for (const taker of takers) turns.end(taker);
  const parked: Taker[] = [];
  for (let n = 0; taken === count && n <= MAX_PARKED; n++) {
    const taker = new Taker();
    turns.take(taker);
    if (turns.park(taker)) parked.push(taker);
    else turns.end(taker);
  }
  for (const taker of parked) turns.end(taker);
  return taken === count && parked.length === MAX_PARKED;
}

const TURNS = 4;

const QUESTION = '{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}}';

const answerEvent = (request: RawRequest) => eventText(answerTo(request, '{}'));

/** How a backend ends, or does not end, its response to a call. */
type Ending = (request: RawRequest, response: ServerResponse, times: number) => void;

const json: Ending = (request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(answerTo(request, '{}'));
};
const open: Ending = (request, response) => {
  openEvents(response);
  response.write(answerEvent(request));
};

/** Ends the first response with a broken stream, and the next request for its rest in the given way. */
const afterLost = (then: Ending): Ending => {
  return (request, response, times) => {
    if (times > 1) then(request, response, times);
    else {
      openEvents(response);
      response.end('retry: 1\nid: e-0\ndata:\n\n');
    }
  };
};

const ANSWERED: Record<string, Ending> = {
  'in JSON': json,
  'by an event at the end of its stream': (request, response) => {
    openEvents(response);
    response.end(answerEvent(request));
  },
  'by an event of a stream that stays open': open,
  'by an event before the connection breaks': (request, response) => {
    open(request, response, 1);
    response.write('', () => response.destroy());
  },
  'by an event before much other data': (request, response) => {
    openEvents(response);
    response.write(answerEvent(request) + ':'.repeat(256 * 1024));
  },
  'by a large event of a stream that stays open': (request, response) => {
    openEvents(response);
    response.write(eventText(answerTo(request, `{"pad":"${'x'.repeat(300_000)}"}`)));
  },
  'at an error status': (request, response) => {
    const error = `{"jsonrpc":"2.0","id":${request.message.id},"error":{"code":-32602,"message":"no"}}`;
    response.writeHead(400, { 'content-type': 'application/json' }).end(error);
  },
  'after a redirect': (request, response) => {
    if (request.path.startsWith('/there')) open(request, response, 1);
    else response.writeHead(307, { location: '/there' }).end('gone there');
  },
  'after a lost stream': afterLost(open),
  'after a lost stream, at the second attempt': afterLost((request, response, times) => {
    if (times > 2) open(request, response, times);
    else response.writeHead(503).write('not now');
  }),
  'in a replacement session': (request, response, times) => {
    if (times > 1) open(request, response, times);
    else response.writeHead(404).write('who is that?');
  },
};

const FAILED: Record<string, Ending> = {
  'a broken connection': (_request, response) => response.destroy(),
  'an endless body at an error status': (_request, response) => void response.writeHead(500).write('oh'),
  'an endless body of another type': (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).write('<p>');
  },
  'a redirect with an endless body': (_request, response) => {
    response.writeHead(307, { location: '/there' }).write('x'.repeat(256 * 1024));
  },
  'a redirect to another host': (_request, response) => {
    response.writeHead(307, { location: 'https://elsewhere.invalid/' }).write('there');
  },
  'a stream without the answer': (_request, response) => {
    openEvents(response);
    response.end(': nothing\n\n');
  },
  'an event that is not the answer': (_request, response) => {
    openEvents(response);
    response.write('data: [1]\n\n');
  },
  'a lost stream that cannot be resumed': afterLost((_request, response) => void response.writeHead(404).write('gone')),
};

const SILENT: Record<string, Ending> = {
  'before the headers': () => {},
  'within the stream': (_request, response) => openEvents(response),
  'within the answer': (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write(answerTo(request, '{}').slice(0, 20));
  },
  'within a redirect': (_request, response) => void response.writeHead(307, { location: '/there' }).flushHeaders(),
  'while a lost stream is resumed': afterLost((_request, response) => openEvents(response)),
  'while it waits for the client': (_request, response) => {
    openEvents(response);
    response.write(eventText(QUESTION));
  },
};

const GIVEN_UP: Record<string, Ending> = {
  ...SILENT,
  'until a lost stream is resumed': (_request, response) => {
    openEvents(response);
    response.end('retry: 60000\nid: e-0\ndata:\n\n');
  },
};

/** A backend that ends each call in this way. A request for the rest of a stream belongs to the latest call. */
async function connect({ onTestFinished }: TestContext, ending: Ending) {
  const edge = new Edge();
  onTestFinished(() => edge.dispose());
  let last: RawRequest | undefined;
  let calls = 0;
  const times = new Map<string, number>();
  const again = (request: RawRequest, response: ServerResponse) => {
    const key = String(request.message.id);
    times.set(key, (times.get(key) ?? 0) + 1);
    calls++;
    last = request;
    ending(request, response, times.get(key) as number);
  };
  const handshake = withHandshake(again, 's-1');
  const server = await edge.server(
    startRawServer((request, response) => {
      const isResumed = request.method === 'GET' && request.headers['last-event-id'] !== undefined;
      if (isResumed && last !== undefined) again(last, response);
      else return handshake(request, response);
    }),
  );
  const client = edge.client({ connections: TURNS });
  const session = edge.sessionful(planFor(server.origin), client);
  await session.open();
  return { server, session, client, calls: () => calls };
}

class AskedSink extends RecordingSink {
  request(): void {}
}

const given = (client: HttpClient) => eventually(() => areAllFree(client, TURNS));

describe.concurrent('a call that ends', () => {
  test.for(Object.entries(ANSWERED))(
    'a call no longer counts toward the limit of concurrent calls when it is answered %s',
    async ([, ending], context) => {
      const { session, client } = await connect(context, ending);
      for (let n = 0; n < 2; n++) expect((await send(session, 'x')).text).toContain('"jsonrpc"');
      await given(client);
    },
  );

  test.for(Object.entries(FAILED))(
    'a call no longer counts toward the limit of concurrent calls when it fails by %s',
    async ([, ending], context) => {
      const { session, client } = await connect(context, ending);
      for (let n = 0; n < 2; n++) expect((await send(session, 'x')).error).toBeDefined();
      await given(client);
    },
  );

  test.for(Object.entries(SILENT))(
    'a call no longer counts toward the limit of concurrent calls when its backend falls silent %s',
    async ([, ending], context) => {
      const { session, client } = await connect(context, ending);
      const { error } = await send(session, 'x', {}, { timeoutMs: 100 });
      expect(error?.reason).toBe('timeout');
      await given(client);
    },
  );

  test.for(Object.entries(GIVEN_UP))(
    'a call no longer counts toward the limit of concurrent calls when its client cancels it while the backend is silent %s',
    async ([, ending], context) => {
      const { session, client, calls } = await connect(context, ending);
      const abort = new AbortController();
      const sink = new AskedSink();
      const call = send(session, 'x', {}, { signal: abort.signal, sink });
      await eventually(() => calls() > 0);
      await setImmediate();
      abort.abort();
      expect((await call).error?.reason).toBe('aborted');
      await given(client);
    },
  );

  test('an answered call no longer counts toward the limit of concurrent calls, even if its client has not answered a question', async context => {
    const { session, client } = await connect(context, (request, response) => {
      openEvents(response);
      response.write(eventText(QUESTION) + answerEvent(request));
    });
    expect((await send(session, 'x', {}, { sink: new AskedSink() })).text).toContain('"result":{}');
    await given(client);
  });

  test('a call no longer counts toward the limit of concurrent calls after a question and a response that its client has paused', async context => {
    const { session, client, calls } = await connect(context, (request, response) => {
      openEvents(response);
      if (request.message.method !== 'asking') return;
      response.write(eventText(QUESTION));
      // The beginning of a long response, whose rest follows later.
      response.write(`data: ${answerTo(request, `{"pad":"${'x'.repeat(300_000)}`).slice(0, -1)}`);
    });
    const drained = Promise.withResolvers<void>();
    class FullSink extends AskedSink {
      override data(chunk: Uint8Array): boolean {
        super.data(chunk);
        return false;
      }
      override onDrain(resume: () => void): void {
        resume();
        drained.resolve();
      }
    }
    const abort = new AbortController();
    const asking = send(session, 'asking', {}, { sink: new FullSink(), signal: abort.signal });
    await drained.promise;
    const others = Array.from({ length: TURNS }, () => send(session, 'x', {}, { signal: abort.signal }));
    await eventually(() => calls() === TURNS + 1);
    abort.abort();
    for (const call of [asking, ...others]) expect((await call).error?.reason).toBe('aborted');
    await given(client);
  });

  test('an answered call whose backend leaves the event stream open no longer counts toward the limit of concurrent calls', async context => {
    const { session, client } = await connect(context, open);
    expect((await send(session, 'x', {}, { timeoutMs: 600_000 })).text).toContain('"result":{}');
    await given(client);
  });

  test('a call that its client cancels before it has a connection no longer counts toward the limit of concurrent calls', async context => {
    const { session, client, server } = await connect(context, json);
    const abort = new AbortController();
    const calls = Array.from({ length: TURNS + 2 }, () => send(session, 'x', {}, { signal: abort.signal }));
    abort.abort();
    for (const call of calls) expect((await call).error?.reason).toBe('aborted');
    expect((await send(session, 'x', {}, { signal: abort.signal })).error?.reason).toBe('aborted');
    await given(client);
    expect(server.requests.some(({ message }) => message?.method === 'x')).toBe(false);
  });

  test('a call that cannot connect to its backend no longer counts toward the limit of concurrent calls', async context => {
    const { session, client, server } = await connect(context, json);
    await server.close();
    expect((await send(session, 'x')).error?.reason).toBe('connection_failed');
    await given(client);
  });

  test('calls no longer count toward the limit of concurrent calls when their session or the HTTP client is closed', async context => {
    const { session, client, calls } = await connect(context, () => {});
    const all = Array.from({ length: TURNS + 2 }, () => send(session, 'x'));
    await eventually(() => calls() === TURNS);
    await session.close();
    for (const call of all) expect((await call).error?.reason).toBe('aborted');
    await given(client);
    await client.close();
    expect((await send(session, 'x')).error).toBeDefined();
    await given(client);
  });

  test('when backends leave streams open after an answer, at most as many stay open as the limit of concurrent calls', async context => {
    let streams = 0;
    let most = 0;
    const { session, client, calls } = await connect(context, (request, response) => {
      most = Math.max(most, ++streams);
      response.on('close', () => streams--);
      open(request, response, 1);
    });
    const answers = await Promise.all(Array.from({ length: 3 * TURNS }, () => send(session, 'x')));
    expect(answers.every(({ text }) => text.includes('"result":{}'))).toBe(true);
    expect([calls(), most]).toEqual([3 * TURNS, TURNS]);
    await given(client);
  });
});
