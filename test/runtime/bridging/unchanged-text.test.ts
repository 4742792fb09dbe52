/** Messages of stateless clients reach session backends unchanged: digits, escapes and order. */
import { afterEach, describe, expect, test } from 'vitest';
import { eventually, startGateway } from '../../support/gateway.ts';
import { post } from '../client-edge/fake-gateway.ts';
import { answerList, type ScriptedCall, startScripted, type Wire } from '../pass-through/scripted-backend.ts';
import { findHeaders } from '../stateless-edge/requests.ts';

const TOOLS = { 'tools/list': '{"name":"t","inputSchema":{"type":"object"}}' };

/** The required members of the stateless revision, with the client's own members between them. */
const VERSION = '"io.modelcontextprotocol/protocolVersion":"2026-07-28"';
const CLIENT = '"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}';
const ABLE = '"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const closing of open.splice(0).reverse()) await closing.close();
});

async function serve(wire: Wire) {
  const calls: ScriptedCall[] = [];
  const backend = await startScripted('a', wire, call => {
    if (!answerList(call, TOOLS)) calls.push(call);
  });
  const gateway = await startGateway({ backends: [backend.plan] });
  open.push(backend, { close: () => gateway.stop() });
  const ask = (meta: string, more = '') =>
    post(
      gateway.url,
      `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":${meta},"name":"a_t"${more}}}`,
      findHeaders({ method: 'tools/call', params: { name: 'a_t' } }),
    );
  const next = async () => {
    await eventually(() => calls.length > 0);
    return calls.shift() as ScriptedCall;
  };
  /** The text of the latest call at the backend. */
  const received = () => backend.received.findLast(({ message }) => message?.method === 'tools/call')?.body;
  return { backend, ask, next, received };
}

describe.each<Wire>(['events', 'sse'])('over %s', wire => {
  test.each([
    ['a progress token beyond 2^53', '"progressToken":9007199254740993', '"progressToken":9007199254740993'],
    ['numeric names and trailing zeros', '"n":1.50,"10":-0, "2":1E400', '"n":1.50,"10":-0,"2":1E400'],
    [
      'escaped characters',
      '"\\u00e9":"\\/\\u0041","p\\u0072ogressToken":"\\u0074"',
      '"\\u00e9":"\\/\\u0041","p\\u0072ogressToken":"\\u0074"',
    ],
    [
      'deep values',
      '"k":{"io.modelcontextprotocol/logLevel":[ 1.0 ]}',
      '"k":{"io.modelcontextprotocol/logLevel":[ 1.0 ]}',
    ],
  ])(
    'a backend gets the _meta of a stateless client, but for members of the stateless revision, with unchanged text: %s',
    async (_, said, expected) => {
      const { ask, next, received } = await serve(wire);
      const answer = ask(`{ ${VERSION},${said},${CLIENT} , ${ABLE}}`);
      (await next()).answer('"result":{"content":[]}');
      expect((await answer).status).toBe(200);
      expect(received()).toContain(`"params":{"_meta":{${expected}},"name":"t"}`);
    },
  );

  test('a stateless client gets progress notifications of a backend with unchanged text, and with the progress token that it sent', async () => {
    const { ask, next } = await serve(wire);
    const progress =
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":9007199254740993,"progress":1.50}}';
    const answer = ask(`{${VERSION},"progressToken":9007199254740993,${CLIENT},${ABLE}}`);
    const call = await next();
    call.say(progress);
    call.answer('"result":{"content":[]}');
    expect((await answer).text).toContain(progress);
  });

  test('a backend gets the answer of a client to its question with unchanged text', async () => {
    const { backend, ask, next } = await serve(wire);
    const meta = `{${VERSION},${CLIENT},${ABLE}}`;
    const first = ask(meta);
    const call = await next();
    call.say('{"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{"message":"m","requestedSchema":{}}}');
    const { result } = JSON.parse((await first).text.replace(/^[^{]*/, ''));
    const given = '{"action":"accept","content":{ "10":12345678901234567890,"n":1.50,"s":"\\/\\u0041"}}';
    const second = ask(meta, `,"requestState":"${result.requestState}","inputResponses":{"q\\u0031" : ${given} }`);
    await backend.waitFor(({ body }) => body === `{"jsonrpc":"2.0","id":"e","result":${given}}`);
    call.answer('"result":{"content":[]}');
    expect((await second).text).toContain('"resultType":"complete"');
  });
});

const ARGUMENTS = '{"to":"b\\u006fb","list":[{"a":1,"b":2.0}],"n":12345678901234567890}';

test.each<[name: string, args: string, fits: boolean]>([
  ['the same text', ARGUMENTS, true],
  [
    'the same values in another order, spelling and spacing',
    '{ "n":12345678901234567890, "list":[{"b":2.0,"a":1}],"to":"bob"}',
    true,
  ],
  ['another value', '{"to":"eve","list":[{"a":1,"b":2.0}],"n":12345678901234567890}', false],
  ['a number with another last digit', '{"to":"bob","list":[{"a":1,"b":2.0}],"n":12345678901234567891}', false],
  ['a string in place of a number', '{"to":"bob","list":[{"a":"1","b":2.0}],"n":12345678901234567890}', false],
  ['an additional member', '{"to":"bob","list":[{"a":1,"b":2.0}],"n":12345678901234567890,"m":null}', false],
  ['no arguments', '{}', false],
])('the gateway continues a suspended call only if the client repeats equal arguments: %s', async (_, args, fits) => {
  const { backend, ask, next } = await serve('events');
  const meta = `{${VERSION},${CLIENT},${ABLE}}`;
  const first = ask(meta, `,"arguments":${ARGUMENTS}`);
  const call = await next();
  call.say('{"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{"message":"m","requestedSchema":{}}}');
  const { requestState } = JSON.parse((await first).text.replace(/^[^{]*/, '')).result;
  const back = `,"requestState":"${requestState}","inputResponses":{"q1":{"action":"cancel"}}`;
  if (!fits) {
    const other = await ask(meta, `,"arguments":${args}${back}`);
    expect(other.status).toBe(400);
    expect(JSON.parse(other.text)).toMatchObject({ id: 7, error: { code: -32602 } });
  }
  // The state stays valid for its own call.
  const right = ask(meta, `,"arguments":${fits ? args : ARGUMENTS}${back}`);
  await backend.waitFor(({ body }) => body === '{"jsonrpc":"2.0","id":"e","result":{"action":"cancel"}}');
  call.answer('"result":{"content":[]}');
  expect((await right).text).toContain('"resultType":"complete"');
});

test.each([
  ['null', '{"q1":null}'],
  ['a string', '{"q1":"x"}'],
  ['a number', '{"q1":1}'],
  ['a list', '{"q1":[{}]}'],
  ['null in place of all responses', 'null'],
  ['a list in place of all responses', '[]'],
])(
  'after an invalid input response, a suspended call goes on waiting for a valid one: %s',
  async (_, inputResponses) => {
    const { backend, ask, next } = await serve('events');
    const meta = `{${VERSION},${CLIENT},${ABLE}}`;
    const first = ask(meta);
    const call = await next();
    call.say('{"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{"message":"m","requestedSchema":{}}}');
    const { requestState } = JSON.parse((await first).text.replace(/^[^{]*/, '')).result;
    const wrong = await ask(meta, `,"requestState":"${requestState}","inputResponses":${inputResponses}`);
    expect(wrong.status).toBe(400);
    expect(JSON.parse(wrong.text)).toMatchObject({ id: 7, error: { code: -32602 } });
    const right = ask(meta, `,"requestState":"${requestState}","inputResponses":{"q1":{"action":"cancel"}}`);
    await backend.waitFor(({ body }) => body === '{"jsonrpc":"2.0","id":"e","result":{"action":"cancel"}}');
    call.answer('"result":{"content":[]}');
    expect((await right).text).toContain('"resultType":"complete"');
  },
);
