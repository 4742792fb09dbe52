/** Clients find tools by meaning where the gateway has an embedding service, and by keywords while that is unavailable. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { OptimizerPlan } from '#schemas';
import { optimizerBy, startEmbeddingService, type TestEmbeddingService } from '../../support/embedding-service.ts';
import { backendPlan } from '../../support/gateway.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { cedarPlan } from '../authorization/plans.ts';
import { CLIENTS, type GuardedClient, startGuarded } from '../edge-auth/guarded-gateway.ts';

const ALLOW_ALL = cedarPlan(['permit(principal, action, resource);']);
const ALICE = { sub: 'alice' };

const TOOLS = [
  { name: 'invoices', description: 'Lists the bills of a customer.' },
  { name: 'weather', description: 'Forecast for a city.' },
  { name: 'mail', description: 'Sends a letter.' },
];

/** Words of users who never say `bill`. */
const SYNONYMS = { bills: 'invoice', receipts: 'invoice', invoices: 'invoice', owed: 'invoice' };

let backend: SdkServer;
beforeAll(async () => {
  backend = await startSdkServer({ transport: 'streamable-http', tools: TOOLS });
});
afterAll(() => backend.close());

async function peer(): Promise<TestEmbeddingService> {
  const service = await startEmbeddingService({ synonyms: SYNONYMS });
  onTestFinished(() => service.close());
  return service;
}

const start = (plan: OptimizerPlan) => startGuarded([backendPlan('s', backend.url)], ALLOW_ALL, undefined, plan);

const connect = (url: string) => (CLIENTS[0] as (typeof CLIENTS)[number])[1](url, ALICE);

interface Found {
  readonly tools: readonly { readonly name: string }[];
  readonly notice?: string;
}

async function find(client: GuardedClient, tool_description: string): Promise<Found> {
  return ((await client.callTool('find_tool', { tool_description })) as { structuredContent: Found }).structuredContent;
}

const names = ({ tools }: Found) => tools.map(({ name }) => name);
const ready = ({ gateway: { optimizer } }: Awaited<ReturnType<typeof start>>) =>
  expect
    .poll(() => {
      const { ready: isReady, embedded = 0, waiting } = optimizer?.embedder?.status ?? {};
      return isReady === true && waiting === 0 && embedded >= TOOLS.length;
    })
    .toBe(true);

describe.each(CLIENTS)('%s', (_, connectAs) => {
  test('a search by meaning finds tools that do not contain the words of the search', async () => {
    const started = await start(optimizerBy(await peer()));
    await ready(started);
    const client = await connectAs(started.url, ALICE);
    const found = await find(client, 'receipts owed');
    expect(names(found)[0]).toBe('s_invoices');
    expect(found.notice).toBeUndefined();
  });
});

test('with semanticRatio 0 a search uses words without a request to the embedding service, and with 1 it uses meaning alone', async () => {
  const service = await peer();
  const byWords = await start(optimizerBy(service, { semanticRatio: 0 }));
  const first = await connect(byWords.url);
  expect(names(await find(first, 'receipts owed'))).toEqual([]);
  expect((await find(first, 'forecast')).notice).toBeUndefined();
  expect(service.asked.filter(({ texts }) => texts.includes('receipts owed'))).toEqual([]);

  const byMeaning = await start(optimizerBy(service, { semanticRatio: 1, distanceThreshold: 0.5 }));
  await ready(byMeaning);
  const second = await connect(byMeaning.url);
  expect(names(await find(second, 'receipts owed'))).toEqual(['s_invoices']);
  // One word of many: too distant in meaning.
  expect(names(await find(second, 'a city that nobody knows of and never will'))).toEqual([]);
});

test('when the embedding service cannot embed a description, find_tool searches by words and says so', async () => {
  const service = await peer();
  const started = await start(optimizerBy(service));
  await ready(started);
  const client = await connect(started.url);
  // Its vector is all zeros.
  const found = await find(client, '天気');
  expect([names(found), found.notice]).toEqual([[], expect.stringMatching('cannot embed this description')]);
  service.refuses = text => text === 'refused';
  expect((await find(client, 'refused')).notice).toMatch('cannot embed this description');
  expect((await find(client, 'receipts owed')).notice).toBeUndefined();
});

test('a search uses words while the embedding service fails, its answer says so, and it uses meaning again afterwards', async () => {
  const service = await peer();
  const started = await start(optimizerBy(service));
  await ready(started);
  const client = await connect(started.url);
  service.mood = 500;
  const found = await find(client, 'forecast');
  expect(names(found)).toEqual(['s_weather']);
  expect(found.notice).toMatch('by keywords only: the embedding service does not answer');
  expect(started.gateway.optimizer?.embedder?.status).toMatchObject({
    ready: false,
    problem: expect.stringMatching('answered 500'),
  });
  service.mood = 'answers';
  await ready(started);
  await expect.poll(async () => (await find(client, 'receipts owed')).notice).toBeUndefined();
});

test('while the embedding service is down at the start of the gateway, find_tool searches by words', async () => {
  const service = await peer();
  await service.close();
  const started = await start(optimizerBy(service));
  const client = await connect(started.url);
  const found = await find(client, 'forecast');
  expect(names(found)).toEqual(['s_weather']);
  expect(found.notice).toMatch('the embedding service does not answer');
});

test('the embedding service embeds one text for a changed tool, and no text for a new bundle', async () => {
  const service = await peer();
  const started = await start(optimizerBy(service));
  await ready(started);
  const before = service.texts.length;
  await backend.setTools([...TOOLS.slice(1), { name: 'invoices', description: 'Lists the receipts of a customer.' }]);
  onTestFinished(() => backend.setTools(TOOLS));
  await expect
    .poll(() => service.texts.slice(before))
    .toEqual(['name: s_invoices description: Lists the receipts of a customer.']);
  const { embedder } = started.gateway.optimizer ?? {};
  await started.swap(
    cedarPlan(['permit(principal, action, resource);', 'forbid(principal, action, resource == Tool::"s_mail");']),
  );
  expect(started.gateway.optimizer?.embedder).toBe(embedder);
  const client = await connect(started.url);
  expect(names(await find(client, 'letter'))).not.toContain('s_mail');
  await ready(started);
  expect(service.texts.slice(before).filter(text => text.startsWith('name: s_'))).toHaveLength(1);
});

test('the gateway embeds texts again when a replaced model returns vectors of another length', async () => {
  const service = await peer();
  const started = await start(optimizerBy(service));
  await ready(started);
  const client = await connect(started.url);
  service.dimensions = 32;
  service.model = 'other';
  expect((await find(client, 'receipts owed')).notice).toMatch('not all of them are embedded yet');
  await expect.poll(async () => names(await find(client, 'receipts owed'))).toContain('s_invoices');
  expect(started.gateway.optimizer?.embedder?.table?.dimensions).toBe(32);
});
