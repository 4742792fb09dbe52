/** Clients see two tools, find all others through them, and call those as if they were listed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OptimizerPlan } from '#schemas';
import { estimateTokens } from '#shared/search';
import { backendPlan } from '../../support/gateway.ts';
import { BUILT_IN_TOOLS, type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { type StatelessServer, startStatelessServer } from '../../support/stateless-server.ts';
import { cedarPlan } from '../authorization/plans.ts';
import { CLIENTS, type GuardedClient, startGuarded } from '../edge-auth/guarded-gateway.ts';
import type { FakeToken } from '../edge-auth/tokens.ts';

const PLAN: OptimizerPlan = { maxTools: 3, semanticRatio: 0.5, distanceThreshold: 1 };
const POLICIES = [
  'permit(principal, action == Action::"call_tool", resource) when { resource.name like "s_*" };',
  'permit(principal in Group::"ops", action, resource);',
  'forbid(principal, action == Action::"call_tool", resource == Tool::"s_fail");',
];
const ALICE: FakeToken = { sub: 'alice', groups: ['dev'] };
const OLGA: FakeToken = { sub: 'olga', groups: ['ops'] };
const TOOLS = [
  { name: 'invoices', description: 'Lists the invoices of a customer.' },
  { name: 'weather', description: 'Forecast for a city.' },
  { name: 'find_tool', description: 'Finds a screwdriver.' },
];

let sessions: SdkServer;
let stateless: StatelessServer;
beforeAll(async () => {
  sessions = await startSdkServer({ transport: 'streamable-http', tools: TOOLS });
  stateless = await startStatelessServer();
});
afterAll(async () => {
  await sessions.close();
  await stateless.close();
});

const start = () =>
  startGuarded([backendPlan('s', sessions.url), backendPlan('m', stateless.url)], cedarPlan(POLICIES), undefined, PLAN);

interface Found {
  readonly tools: readonly { readonly name: string }[];
  readonly token_metrics: {
    readonly baseline_tokens: number;
    readonly returned_tokens: number;
    readonly savings_percent: number;
  };
}

async function find(client: GuardedClient, args: Record<string, unknown>): Promise<readonly string[]> {
  const { structuredContent, content } = (await client.callTool('find_tool', args)) as {
    structuredContent: Found;
    content: { text: string }[];
  };
  expect(JSON.parse(content[0]?.text ?? '')).toEqual(structuredContent);
  return structuredContent.tools.map(({ name }) => name);
}

describe.each(CLIENTS)('%s', (_, connect) => {
  test('a gateway with the optimizer lists only the tools find_tool and call_tool, and still lists and serves prompts and resources', async () => {
    const { url } = await start();
    const olga = await connect(url, OLGA);
    expect(await olga.list('tools')).toEqual(['call_tool', 'find_tool']);
    expect(await olga.list('resources')).toContain('memo://one');
    expect(await olga.readResource('memo://one')).toMatchObject({ contents: [{ uri: 'memo://one' }] });
    const [prompt = ''] = await olga.list('prompts');
    expect(await olga.getPrompt(prompt)).toMatchObject({ messages: [expect.anything()] });
  });

  test('a client finds and calls exactly the tools that its caller may call', async () => {
    const { url } = await start();
    const [alice, olga] = await Promise.all([connect(url, ALICE), connect(url, OLGA)]);
    expect((await find(alice, { tool_description: 'the open invoices' }))[0]).toBe('s_invoices');
    expect(await find(alice, { tool_description: '', tool_keywords: ['fail'] })).not.toContain('s_fail');
    expect(await find(olga, { tool_description: 'echo' })).toEqual(expect.arrayContaining(['m_echo', 's_echo']));
    expect(await find(alice, { tool_description: 'echo' })).not.toContain('m_echo');

    const echo = (client: GuardedClient, name: string) =>
      client.callTool('call_tool', { tool_name: name, parameters: { a: 1 } });
    expect(await echo(alice, 's_echo')).toMatchObject({ content: [{ text: '{"a":1}' }] });
    expect(await echo(olga, 'm_echo')).toMatchObject({ content: [expect.anything()] });
    for (const name of ['m_echo', 's_fail', 'nothing']) {
      expect(await echo(alice, name)).toMatchObject({
        isError: true,
        content: [{ text: `tool not found: ${name}` }],
      });
    }
    await expect(alice.callTool('s_echo', {})).rejects.toThrow('unknown tool "s_echo"');
  });

  test('find_tool returns complete definitions, and says how many tokens they and all tools of the caller take', async () => {
    const { url } = await start();
    const client = await connect(url, ALICE);
    const search = { tool_description: 'the open invoices' };
    const { structuredContent } = (await client.callTool('find_tool', search)) as { structuredContent: Found };
    const { tools, token_metrics } = structuredContent;
    expect(tools[0]).toEqual({
      name: 's_invoices',
      description: 'Lists the invoices of a customer.',
      inputSchema: { type: 'object' },
    });
    const returned = tools.map(one => estimateTokens(JSON.stringify(one))).reduce((sum, one) => sum + one, 0);
    expect(token_metrics.returned_tokens).toBe(returned);
    // All tools of the backend but the forbidden one, each of at least the tokens of `{"name":"s_log","inputSchema":{"type":"object"}}`.
    const count = BUILT_IN_TOOLS.length + TOOLS.length - 1;
    expect(token_metrics.baseline_tokens).toBeGreaterThan(12 * count);
    const saved = Math.round((1 - returned / token_metrics.baseline_tokens) * 10_000) / 100;
    expect(token_metrics.savings_percent).toBeCloseTo(saved, 2);
  });

  test.each<[what: string, name: string, args: Record<string, unknown>, text: string]>([
    ['no description', 'find_tool', {}, 'tool_description is required'],
    ['keywords that are numbers', 'find_tool', { tool_description: 'x', tool_keywords: [1] }, 'a list of strings'],
    ['no tool name', 'call_tool', { parameters: {} }, 'tool_name is required'],
    ['a number as the tool name', 'call_tool', { tool_name: 1, parameters: {} }, 'tool_name must be a string'],
    ['a number as parameters', 'call_tool', { tool_name: 's_echo', parameters: 1 }, 'parameters must be an object'],
  ])('find_tool and call_tool return an error for %s', async (_what, name, args, text) => {
    const { url } = await start();
    const client = await connect(url, ALICE);
    expect(await client.callTool(name, args)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining(text) }],
    });
  });

  test('call_tool calls the tool that tool_name inside of parameters names', async () => {
    const { url } = await start();
    const client = await connect(url, ALICE);
    const result = await client.callTool('call_tool', { parameters: { tool_name: 's_echo', a: 1 } });
    expect(result).toMatchObject({ content: [{ text: '{"a":1}' }] });
  });

  test('a client finds and calls a tool of a backend like any other tool if the name of the tool is find_tool', async () => {
    const { url } = await start();
    const client = await connect(url, ALICE);
    expect((await find(client, { tool_description: 'screwdriver' }))[0]).toBe('s_find_tool');
    expect(await client.callTool('call_tool', { tool_name: 's_find_tool', parameters: {} })).toMatchObject({
      content: [{ text: 'find_tool' }],
    });
  });

  test('find_tool finds new tools of a backend, and no removed tools', async () => {
    const { url } = await start();
    const client = await connect(url, ALICE);
    await sessions.setTools([...TOOLS, { name: 'violin', description: 'Plays the violin.' }]);
    await expect.poll(() => find(client, { tool_description: 'violin' })).toEqual(['s_violin']);
    await sessions.setTools(TOOLS);
    await expect.poll(() => find(client, { tool_description: 'violin' })).toEqual([]);
  });
});
