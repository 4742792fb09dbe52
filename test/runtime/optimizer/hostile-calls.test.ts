/** Calls of the optimizer's tools with descriptions, names and arguments that only a malicious model sends. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { OptimizerPlan } from '#schemas';
import { backendPlan, startGateway, type TestGateway } from '../../support/gateway.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { StatelessClient } from '../workflows/stateless-client.ts';

const PLAN: OptimizerPlan = { maxTools: 3, semanticRatio: 0, distanceThreshold: 1 };
const TOOLS = [
  { name: 'weather', description: 'Forecast for a city.' },
  { name: 'tenki', description: '都市の天気予報を調べる' },
  { name: 'constructor', description: 'Builds houses.' },
];

let backend: SdkServer;
let gateway: TestGateway;

beforeAll(async () => {
  backend = await startSdkServer({ transport: 'streamable-http', tools: TOOLS });
  gateway = await startGateway({ backends: [backendPlan('s', backend.url)], optimizer: PLAN });
  await gateway.ready();
});
afterAll(async () => {
  await gateway.stop();
  await backend.close();
});

interface Result {
  readonly isError?: boolean;
  readonly content?: readonly { readonly text: string }[];
  readonly structuredContent?: { readonly tools: readonly { readonly name: string }[] };
}

const CLIENTS: readonly (readonly [
  kind: string,
  connect: () => Promise<(name: string, args: object) => Promise<Result>>,
])[] = [
  [
    'with a session',
    async () => {
      const client = await gateway.connect();
      onTestFinished(() => client.close());
      return async (name, args) =>
        (await client.callTool({ name, arguments: args as Record<string, unknown> })) as Result;
    },
  ],
  [
    'without a session',
    async () => async (name, args) => (await new StatelessClient(gateway.url).call(name, args)).result as Result,
  ],
];

describe.each(CLIENTS)('a client %s', (_kind, connect) => {
  test.each<[what: string, description: string, first: string | undefined]>([
    ['an empty text', '', undefined],
    ['white space', ' \n\t\u00a0', undefined],
    ['punctuation', '"\'*()^~:+-&|!{}[]?\\/', undefined],
    ['an SQL injection', 'weather" OR 1=1; DROP TABLE tools; --', 's_weather'],
    ['a Japanese word', '天気予報', 's_tenki'],
    ['full-width letters', 'ＷＥＡＴＨＥＲ', 's_weather'],
    ['emoji', '🌦️👩‍👩‍👧', undefined],
    ['half of a surrogate pair', '\ud800 weather', 's_weather'],
    ['a NUL character', '\u0000weather\u0000', 's_weather'],
    ['a megabyte before the word', `${'x '.repeat(500_000)}weather`, undefined],
    ['a word of a megabyte', 'w'.repeat(1_000_000), undefined],
    ['names of JavaScript object members', '__proto__ constructor toString', 's_constructor'],
  ])('find_tool accepts a search for %s', async (_what, tool_description, first) => {
    const call = await connect();
    const { isError, structuredContent } = await call('find_tool', { tool_description });
    expect([isError ?? false, structuredContent?.tools[0]?.name]).toEqual([false, first]);
  });

  test.each<[what: string, keywords: unknown, first: string | undefined]>([
    ['null', null, 's_weather'],
    ['an empty list', [], 's_weather'],
    ['empty words', ['', ' '], 's_weather'],
    [
      '100,000 words, of which 64 count',
      [...Array.from({ length: 100_000 }, (_, at) => `word${at}`), 'houses'],
      undefined,
    ],
    ['words of other tools', ['houses'], 's_constructor'],
  ])('find_tool accepts as keywords %s', async (_what, tool_keywords, first) => {
    const call = await connect();
    const { structuredContent } = await call('find_tool', { tool_description: 'weather', tool_keywords });
    expect(structuredContent?.tools[0]?.name).toBe(first);
  });

  test.each([
    'call_tool',
    'find_tool',
    '',
    ' s_echo',
    's_echo\n',
    'S_ECHO',
    '__proto__',
    'constructor',
    '../s_echo',
    'x'.repeat(10_000),
  ])('call_tool refuses the name "%s", which is no tool', async tool_name => {
    const call = await connect();
    const parameters = { tool_name: 's_echo', parameters: {} };
    expect(await call('call_tool', { tool_name, parameters })).toMatchObject({
      isError: true,
      content: [{ text: `tool not found: ${tool_name}` }],
    });
  });

  test.each<[what: string, args: object, text: string]>([
    ['no arguments', {}, 'tool_name is required'],
    ['a list as parameters', { tool_name: 's_echo', parameters: [] }, 'parameters must be an object'],
    ['a string as parameters', { tool_name: 's_echo', parameters: '{"a":1}' }, 'parameters must be an object'],
    ['null as parameters', { tool_name: 's_echo', parameters: null }, 'parameters must be an object'],
    ['null as the name', { tool_name: null, parameters: {} }, 'tool_name must be a string'],
    ['a list as the description', { tool_description: ['weather'] }, ''],
  ])('find_tool and call_tool refuse %s', async (_what, args, text) => {
    const call = await connect();
    const { isError, content } = await call('tool_description' in args ? 'find_tool' : 'call_tool', args);
    expect([isError, content?.[0]?.text]).toEqual([true, expect.stringContaining(text)]);
  });

  test('call_tool passes every argument to the tool, also one named tool_name, and one named like a member of JavaScript objects', async () => {
    const call = await connect();
    const parameters = { constructor: { a: 1 }, tool_name: 'inner', n: 0.1 };
    const { content } = await call('call_tool', { tool_name: 's_echo', parameters });
    expect(content?.[0]?.text).toBe('{"constructor":{"a":1},"tool_name":"inner","n":0.1}');
  });
});
