/** Attacks on the webhook receiver, and real deliveries of forges, over real sockets. */
import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../controller/kube/index.ts';
import { MAX_BODY_BYTES, type ReceiverOptions, startReceiver } from '../../../controller/webhook/index.ts';
import { settle, TestClock } from '../../support/test-clock.ts';

const SECRETS: { readonly [source: string]: string } = {
  'team/gateways': 'secret-of-gateways\n',
  'team/other': 'other',
};
const BODY = '{"ref":"refs/heads/main"}';

async function started(more: Partial<ReceiverOptions> = {}) {
  const enqueued: string[] = [];
  const results: string[] = [];
  const logged: string[] = [];
  const receiver = await startReceiver({
    host: '127.0.0.1',
    port: 0,
    secret: async ({ namespace, name }) => SECRETS[`${namespace}/${name}`],
    enqueue: ({ namespace, name }) => enqueued.push(`${namespace}/${name}`),
    clock: systemClock,
    refusalMs: 0,
    log: (_, message, source) => logged.push(`${message} ${JSON.stringify(source)}`),
    onDelivery: result => results.push(result),
    ...more,
  });
  onTestFinished(() => receiver.close());
  const { port } = receiver.address;
  const post = async (path: string, headers: Record<string, string>, body = BODY) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body });
    const own = Object.fromEntries([...response.headers].filter(([name]) => name !== 'date'));
    return { status: response.status, headers: own, text: await response.text() };
  };
  return { receiver, port, post, enqueued, results, logged };
}

function signed(secret: string, body = BODY, id?: string): Record<string, string> {
  const signature = createHmac('sha256', secret.trim()).update(body).digest('hex');
  return { 'x-hub-signature-256': `sha256=${signature}`, ...(id === undefined ? {} : { 'x-github-delivery': id }) };
}

const OURS = 'secret-of-gateways';

/** All bytes on a connection until the server closes it. */
function raw(port: number, ...parts: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(part);
    });
    let text = '';
    socket.setEncoding('latin1').on('data', chunk => {
      text += chunk;
    });
    socket.once('close', () => resolve(text)).once('error', error => (text === '' ? reject(error) : resolve(text)));
  });
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);

test('a signed webhook call starts a reconcile of the named source, and gets 202 with an empty body', async () => {
  const { post, enqueued, results, logged } = await started();
  const { status, text } = await post('/hook/team/gateways', signed(OURS));
  expect([status, text, enqueued, results]).toEqual([202, '', ['team/gateways'], ['accepted']]);
  expect(logged.join()).not.toContain(OURS);
});

test('the webhook receiver neither parses nor trusts the body of a call', async () => {
  const { post, enqueued } = await started();
  const bodies = ['', 'no JSON', '{"repository":"team/other"}', '\u0000'.repeat(1000), '['.repeat(100_000)];
  for (const body of bodies) expect((await post('/hook/team/gateways', signed(OURS, body), body)).status).toBe(202);
  expect(new Set(enqueued)).toEqual(new Set(['team/gateways']));
});

test.each(['application/json', 'application/x-www-form-urlencoded', 'text/plain', 'image/png'])(
  'the webhook receiver verifies the signature of the bytes of a body of type %s',
  async type => {
    const { post, enqueued } = await started();
    for (const body of [BODY, '{ "ref" : "\\u0078" }', 'no JSON'])
      expect((await post('/hook/team/gateways', { ...signed(OURS, body), 'content-type': type }, body)).status).toBe(
        202,
      );
    expect(new Set(enqueued)).toEqual(new Set(['team/gateways']));
  },
);

test('the webhook receiver answers a ping and starts no reconcile', async () => {
  const { post, enqueued, results } = await started();
  expect((await post('/hook/team/gateways', { ...signed(OURS), 'x-github-event': 'ping' })).status).toBe(200);
  expect([enqueued, results]).toEqual([[], ['ping']]);
});

describe('refused deliveries', () => {
  const REFUSED = [
    ['an unknown source', '/hook/team/unknown', signed(OURS)],
    ['an unknown namespace', '/hook/nobody/gateways', signed(OURS)],
    ['a wrong signature', '/hook/team/gateways', signed('wrong')],
    ["another source's secret", '/hook/team/gateways', signed(SECRETS['team/other'] ?? '')],
    ['no signature', '/hook/team/gateways', {}],
    [
      'a SHA-1 signature',
      '/hook/team/gateways',
      { 'x-hub-signature': `sha1=${createHmac('sha1', OURS).update(BODY).digest('hex')}` },
    ],
    ['a wrong token', '/hook/team/gateways', { 'x-gitlab-token': 'wrong' }],
    ['an empty token of an unknown source', '/hook/team/unknown', { 'x-gitlab-token': '' }],
  ] as const;

  test.each(REFUSED)('every refused webhook call gets the same answer: %s', async (_, path, headers) => {
    const { post, enqueued, results } = await started();
    const { status, headers: answered, text } = await post(path, headers);
    const shown = {
      'cache-control': 'no-store',
      connection: 'keep-alive',
      'content-length': '0',
      'keep-alive': 'timeout=5',
    };
    expect([status, answered, text]).toEqual([401, shown, '']);
    expect([enqueued, results]).toEqual([[], ['refused']]);
  });

  test('a webhook call gets the same answer when the Secret cannot be read, and the log says why', async () => {
    const { post, logged } = await started({ secret: () => Promise.reject(new Error('secrets "hook" is forbidden')) });
    expect((await post('/hook/team/gateways', signed(OURS))).status).toBe(401);
    expect(logged[0]).toContain('secrets "hook" is forbidden');
  });

  test('a refused webhook call gets its answer after the same time, however long reading the Secret takes', async () => {
    const clock = new TestClock();
    const slow = Promise.withResolvers<string | undefined>();
    const secret: ReceiverOptions['secret'] = ({ name }) =>
      name === 'slow' ? slow.promise : Promise.resolve(SECRETS[`team/${name}`]);
    const { post, results } = await started({ clock, secret, refusalMs: 1000 });
    const answers = ['unknown', 'gateways', 'slow'].map(name => post(`/hook/team/${name}`, signed('wrong')));
    while (clock.pending < 3) await settle();
    await clock.pass(999);
    expect(results).toEqual([]);
    await clock.pass(1);
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([401, 401, 401]);
  });
});

describe('replay', () => {
  const twice = [
    ['the same delivery', signed(OURS, BODY, 'd1'), signed(OURS, BODY, 'd1'), BODY],
    ['the same body with another delivery id', signed(OURS, BODY, 'd1'), signed(OURS, BODY, 'd2'), BODY],
    [
      'the same body signed in another header',
      signed(OURS),
      { 'x-gitea-signature': signed(OURS)['x-hub-signature-256']?.slice(7) ?? '' },
      BODY,
    ],
    ['the same delivery id with another body', signed(OURS, BODY, 'd1'), signed(OURS, '{}', 'd1'), '{}'],
  ] as const;

  test.each(twice)('a repeated webhook call starts no second reconcile: %s', async (_, first, second, body) => {
    const { post, enqueued, results } = await started();
    expect((await post('/hook/team/gateways', first)).status).toBe(202);
    expect((await post('/hook/team/gateways', second, body)).status).toBe(200);
    expect([enqueued.length, results]).toEqual([1, ['accepted', 'replayed']]);
  });

  test('the webhook receiver accepts a call although it refused an earlier call with the same delivery id', async () => {
    const { post } = await started();
    expect((await post('/hook/team/gateways', signed('wrong', BODY, 'd1'))).status).toBe(401);
    expect((await post('/hook/team/gateways', signed(OURS, BODY, 'd1'))).status).toBe(202);
  });

  test('the same webhook body for two sources counts as two deliveries', async () => {
    const { post, enqueued } = await started({ secret: async () => OURS });
    for (const name of ['gateways', 'other']) await post(`/hook/team/${name}`, signed(OURS, BODY, 'd1'));
    expect(enqueued).toEqual(['team/gateways', 'team/other']);
  });
});

describe('too much', () => {
  test('too many webhook calls for one source get 429 with Retry-After, and other sources are not limited', async () => {
    const clock = new TestClock();
    const { post, enqueued } = await started({ clock, refusalMs: 0 });
    for (let at = 0; at < 10; at += 1) await post('/hook/team/gateways', signed(OURS, String(at)), String(at));
    const limited = await post('/hook/team/gateways', signed(OURS, 'x'), 'x');
    expect([limited.status, limited.headers['retry-after'], enqueued.length]).toEqual([429, '2', 10]);
    expect((await post('/hook/team/other', signed('other'))).status).toBe(202);
    await clock.pass(2000);
    // The delivery was not stored as seen.
    expect((await post('/hook/team/gateways', signed(OURS, 'x'), 'x')).status).toBe(202);
  });

  test('the webhook receiver limits the calls of all senders together', async () => {
    const clock = new TestClock();
    const { port, results } = await started({ clock });
    const request = 'POST /nowhere HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n';
    for (let at = 0; at < 100; at += 1) expect(statusOf(await raw(port, request))).toBe(404);
    const answer = await raw(port, request);
    expect([statusOf(answer), /retry-after: (\d+)/i.exec(answer)?.[1]]).toEqual([429, '1']);
    await clock.pass(1000);
    expect(statusOf(await raw(port, request))).toBe(404);
    expect(results.at(-1)).toBe('notFound');
  });
});

describe('malformed requests are refused', () => {
  const HEAD = 'POST /hook/team/gateways HTTP/1.1\r\nhost: x\r\n';

  test.each([
    ['GET', 405, 'GET /hook/team/gateways HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['TRACE', 405, 'TRACE /hook/team/gateways HTTP/1.1\r\nhost: x\r\nx-secret: 1\r\n\r\n'],
    ['a path with a trailing slash', 404, 'POST /hook/team/gateways/ HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n'],
    ['an encoded path', 404, 'POST /hook/team/g%61teways HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n'],
    ['a path with dots', 404, 'POST /hook/team/../team/gateways HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n'],
    ['an invalid source name', 404, 'POST /hook/Team/gateways HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n'],
    ['an absolute target', 404, 'POST http://x/hook/team/gateways HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n'],
    ['a Content-Length above the limit', 413, `${HEAD}content-length: ${MAX_BODY_BYTES + 1}\r\n\r\n`],
    [
      'a chunked body above the limit',
      413,
      `${HEAD}transfer-encoding: chunked\r\n\r\n${(MAX_BODY_BYTES + 1).toString(16)}\r\n${'x'.repeat(MAX_BODY_BYTES + 1)}`,
    ],
    [
      'Content-Length and chunked encoding',
      400,
      `${HEAD}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['two Content-Length headers', 400, `${HEAD}content-length: 5\r\ncontent-length: 6\r\n\r\nhello`],
    ['headers without an end', 431, `${HEAD}x: ${'x'.repeat(32 * 1024)}\r\n\r\n`],
    ['bytes that are not HTTP', 400, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n'],
  ])(
    'the webhook receiver refuses a malformed request and closes the connection: %s (%d)',
    async (_, status, request) => {
      const { port, enqueued } = await started();
      const answer = await raw(port, request);
      expect([statusOf(answer), enqueued]).toEqual([status, []]);
      expect(answer).not.toContain('x-secret');
      // One response, and no byte is taken for a second request.
      expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    },
  );

  test('the webhook receiver accepts a body of exactly the greatest size', async () => {
    const { post } = await started();
    const body = 'x'.repeat(MAX_BODY_BYTES);
    expect((await post('/hook/team/gateways', signed(OURS, body), body)).status).toBe(202);
  });

  test.each([
    ['headers that do not end', 'POST /hook/team/gateways HTTP/1.1\r\nhost: x\r\nx-slow: '],
    ['a body that does not come', 'POST /hook/team/gateways HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nab'],
  ])(
    'the webhook receiver answers 408 to a slow request, and answers other requests meanwhile: %s',
    async (_, request) => {
      const { port, post, enqueued } = await started({ timeouts: { headersMs: 200, requestMs: 300, checkMs: 50 } });
      const slow = raw(port, request);
      expect((await post('/hook/team/gateways', signed(OURS))).status).toBe(202);
      expect(statusOf(await slow)).toBe(408);
      expect(enqueued).toHaveLength(1);
    },
  );

  test('the webhook receiver still answers after a sender disconnects in the middle of a request', async () => {
    const { port, post } = await started();
    await new Promise<void>(resolve => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write('POST /hook/team/gateways HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nab', () =>
          socket.resetAndDestroy(),
        );
      });
      socket.once('close', () => resolve());
    });
    expect((await post('/hook/team/gateways', signed(OURS))).status).toBe(202);
  });
});

test('closing the webhook receiver ends its open connections', async () => {
  const { receiver, port } = await started();
  const open = raw(port, 'POST /hook/team/gateways HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nab').catch(
    () => '',
  );
  await settle();
  await receiver.close();
  expect(await open).toBe('');
  await expect(raw(port, 'x')).rejects.toThrow('ECONNREFUSED');
});
