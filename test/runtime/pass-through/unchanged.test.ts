/** Messages of backends and clients arrive unchanged, whatever their content, over every backend transport. */
import { afterEach, describe, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { answerList, type ScriptedBackend, type ScriptedCall, startScripted, type Wire } from './scripted-backend.ts';

const WIRES: readonly Wire[] = ['json', 'events', 'sse', 'http-error'];

const TOOL =
  '{"name":"t","title":"T","icons":[{"src":"data:image/png;base64,AA==","mimeType":"image/png","sizes":["48x48"],"theme":"dark"}],"inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"n":{"type":"number"}}},"annotations":{"readOnlyHint":true,"x-more":[1]},"execution":{"taskSupport":"forbidden"},"_meta":{"k":{"a":1}},"x-unknown":null}';
const PROMPT =
  '{"name":"p","icons":[{"src":"https://x/i.svg"}],"arguments":[{"name":"a","title":"A"}],"_meta":{"k":1}}';
const RESOURCE =
  '{"uri":"odd://r","name":"r","icons":[],"size":12,"annotations":{"audience":["user"],"priority":0.5,"lastModified":"2026-01-01T00:00:00Z"},"_meta":{}}';
const TEMPLATE =
  '{"uriTemplate":"odd-t://{x}","name":"x","annotations":{"priority":1},"icons":[{"src":"https://x/i.png"}]}';
const LISTS = {
  'tools/list': TOOL,
  'prompts/list': PROMPT,
  'resources/list': RESOURCE,
  'resources/templates/list': TEMPLATE,
};

const RESULTS: Readonly<Record<string, string>> = {
  'tools/call':
    '{"content":[{"type":"hologram","frames":[1.0]},{"type":"text","text":"\\u00e9","annotations":{"priority":1},"_meta":{"b":2}},{"type":"resource_link","uri":"a://b","name":"b","icons":[]}],"structuredContent":{"n":12345678901234567890},"isError":false,"_meta":{"c":3},"z":0}',
  'prompts/get': '{"messages":[{"role":"user","content":{"type":"hologram"}}],"_meta":{"c":3}}',
  'resources/read': '{"contents":[{"uri":"odd://r","blob":"AA==","_meta":{"b":1}}],"_meta":{"c":3}}',
  'completion/complete': '{"completion":{"values":["a"],"total":1e2,"hasMore":false},"_meta":{"c":3}}',
};

const REQUESTS: readonly [method: string, params: string, asSent: string][] = [
  [
    'tools/call',
    '{"name":"odd_t","arguments":{"n":1.0},"_meta":{"progressToken":7,"k":{"x":12345678901234567890}},"y":1}',
    '{"name":"t","arguments":{"n":1.0},"_meta":{"progressToken":7,"k":{"x":12345678901234567890}},"y":1}',
  ],
  [
    'prompts/get',
    '{"name":"odd_p","arguments":{"a":"b"},"_meta":{"k":1}}',
    '{"name":"p","arguments":{"a":"b"},"_meta":{"k":1}}',
  ],
  ['resources/read', '{"uri":"odd://r","_meta":{"k":1}}', '{"uri":"odd://r","_meta":{"k":1}}'],
  [
    'completion/complete',
    '{"ref":{"type":"ref/prompt","name":"odd_p","title":"x"},"argument":{"name":"a","value":"v"},"context":{"arguments":{"b":"c"}},"_meta":{"k":1}}',
    '{"ref":{"type":"ref/prompt","name":"p","title":"x"},"argument":{"name":"a","value":"v"},"context":{"arguments":{"b":"c"}},"_meta":{"k":1}}',
  ],
  [
    'completion/complete',
    '{"ref":{"type":"ref/resource","uri":"odd-t://{x}"},"argument":{"name":"x","value":"v"},"context":{"arguments":{}}}',
    '{"ref":{"type":"ref/resource","uri":"odd-t://{x}"},"argument":{"name":"x","value":"v"},"context":{"arguments":{}}}',
  ],
];

const ERRORS = [
  '{"code":-32042,"message":"go to a page first","data":{"elicitations":[{"mode":"url","elicitationId":"e","url":"https://x/","message":"m"}]}}',
  '{"code":-32602,"message":"backend \\"odd\\": MCP error -32602: no","data":[1.0,null]}',
  '{"code":4711,"message":"","x":"unknown"}',
];

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const closing of open.splice(0).reverse()) await closing.close();
});

async function serve(
  wire: Wire,
  script: (call: ScriptedCall) => void,
): Promise<{ backend: ScriptedBackend; raw: RawClient }> {
  const backend = await startScripted('odd', wire, call => {
    if (!answerList(call, LISTS)) script(call);
  });
  open.push(backend);
  const gateway: TestGateway = await startGateway({ backends: [backend.plan] });
  open.push({ close: () => gateway.stop() });
  const raw = new RawClient(gateway.url);
  await raw.open();
  return { backend, raw };
}

describe.each(WIRES)('over %s', wire => {
  test('clients get the items of lists with all members unchanged except the name', async () => {
    const { raw } = await serve(wire, () => {});
    const shown: [method: string, item: string][] = [
      ['tools/list', TOOL.replace('"name":"t"', '"name":"odd_t"')],
      ['prompts/list', PROMPT.replace('"name":"p"', '"name":"odd_p"')],
      ['resources/list', RESOURCE],
      ['resources/templates/list', TEMPLATE],
    ];
    for (const [method, item] of shown) {
      const [items] = Object.values(await raw.result(method)) as unknown[][];
      expect(items).toEqual([JSON.parse(item)]);
    }
  });

  test('the gateway forwards every byte of requests and results unchanged, except the name of the item', async () => {
    const { backend, raw } = await serve(wire, ({ message, answer }) => answer(`"result":${RESULTS[message.method]}`));
    for (const [method, params, asSent] of REQUESTS) {
      const { text } = await raw.sendText(`{"jsonrpc":"2.0","id":"${method}","method":"${method}","params":${params}}`);
      expect(text).toBe(`{"jsonrpc":"2.0","id":"${method}","result":${RESULTS[method]}}`);
      expect(backend.received.at(-1)?.body).toBe(
        `{"jsonrpc":"2.0","id":"${method}","method":"${method}","params":${asSent}}`,
      );
    }
  });

  test.each(ERRORS)('a client gets the error %s of a backend unchanged', async error => {
    const { raw } = await serve(wire, ({ answer }) => answer(`"error":${error}`));
    for (const [method, params] of REQUESTS) {
      const { status, text } = await raw.sendText(`{"jsonrpc":"2.0","id":5,"method":"${method}","params":${params}}`);
      expect({ status, text }).toEqual({ status: 200, text: `{"jsonrpc":"2.0","id":5,"error":${error}}` });
    }
  });
});

describe.each(['events', 'sse'] as const)('notifications over %s', wire => {
  test('a client gets the notifications of a backend without a changed byte', async () => {
    const said = [
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":0.50,"message":"\\u00e9","_meta":{"k":1},"x":1.0}}',
      '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"n":12345678901234567890},"_meta":{"k":1}}}',
      '{"jsonrpc":"2.0","method":"notifications/future","params":{"_meta":{"k":1}}}',
    ];
    const { raw } = await serve(wire, ({ say, answer }) => {
      for (const json of said) say(json);
      answer('"result":{"content":[]}');
    });
    const heard: string[] = [];
    const params = { name: 'odd_t', _meta: { progressToken: 7 } };
    for await (const text of raw.stream('tools/call', params)) heard.push(text);
    // This client has no notification stream, so messages on the shared HTTP+SSE stream are sent with the call too.
    expect(heard.slice(0, -1)).toEqual(said);
  });
});
