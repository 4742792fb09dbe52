/** Each text is embedded once, with either protocol, whatever the service does. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { EmbeddingPlan, PrivateDenial } from '#schemas';
import type { VectorTable } from '#shared/search';
import { digestText } from '../../../runtime/gateway/optimizer/embeddings/embedded-texts.ts';
import { Embedder, type EmbedderListener } from '../../../runtime/gateway/optimizer/embeddings/embedder.ts';
import { EmbeddingService } from '../../../runtime/gateway/optimizer/embeddings/embedding-service.ts';
import { VectorFile } from '../../../runtime/gateway/optimizer/embeddings/vector-file.ts';
import { createHttpClient } from '../../../runtime/http/client.ts';
import {
  type EmbeddingServiceOptions,
  startEmbeddingService,
  type TestEmbeddingService,
} from '../../support/embedding-service.ts';
import { type LogLine, listeningLog } from '../../support/log-lines.ts';

const MAX_BYTES = 64 * 1024 * 1024;

async function service(options?: EmbeddingServiceOptions): Promise<TestEmbeddingService> {
  const started = await startEmbeddingService(options);
  onTestFinished(() => started.close());
  return started;
}

interface Opened {
  readonly embedder: Embedder;
  readonly lines: readonly LogLine[];
  /** Keys of texts that searches use. */
  readonly inUse: Set<string>;
  /** How often the table was replaced. */
  readonly replaced: (VectorTable | undefined)[];
}

function open(
  { url }: Pick<TestEmbeddingService, 'url'>,
  plan: Partial<EmbeddingPlan> = {},
  more: { file?: string; maxBytes?: number; apiKey?: string; denial?: PrivateDenial } = {},
): Opened {
  const whole: EmbeddingPlan = {
    ...{ provider: 'tei', url, model: null, headers: [], apiKey: null, timeoutMs: 5_000, addresses: 'any' },
    ...plan,
  };
  const { log, lines } = listeningLog();
  const client = createHttpClient({ addresses: whole.addresses, denial: more.denial });
  const { maxBytes = MAX_BYTES } = more;
  const file = more.file === undefined ? undefined : new VectorFile(more.file, maxBytes, log);
  const embedding = new EmbeddingService(whole, client, more.apiKey);
  const embedder = new Embedder(whole, embedding, { log, file, maxBytes });
  const inUse = new Set<string>();
  const replaced: (VectorTable | undefined)[] = [];
  const listener: EmbedderListener = {
    embedded: () => {},
    replaced: table => void replaced.push(table),
    keysInUse: () => inUse,
  };
  embedder.listener = listener;
  onTestFinished(() => embedder.close());
  return { embedder, lines, inUse, replaced };
}

const TEXTS = Array.from(
  { length: 20 },
  (_, at) => `name: tool_${at} description: Does thing ${'abcdefghijklmnopqrst'[at]}`,
);

function want({ embedder, inUse }: Opened, texts: readonly string[] = TEXTS): void {
  for (const text of texts) {
    inUse.add(digestText(text));
    embedder.want(digestText(text), text);
  }
}

const allEmbedded = (opened: Opened, texts: readonly string[] = TEXTS) =>
  expect.poll(() => texts.filter(text => opened.embedder.findRow(digestText(text)) === undefined)).toEqual([]);

const folder = async () => {
  const made = await mkdtemp(join(tmpdir(), 'lintel-embeddings-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
};

describe.each(['tei', 'openai'] as const)('%s', provider => {
  test('the embedder embeds each text of a tool once, in batches, and the description of a search afterwards', async () => {
    const peer = await service({ maxBatch: provider === 'tei' ? 6 : 2_048 });
    const opened = open(peer, { provider, model: provider === 'tei' ? null : 'small' });
    want(opened);
    want(opened);
    await allEmbedded(opened);
    want(opened);
    const vector = await opened.embedder.findVector('Does thing c');
    const { table } = opened.embedder;
    const similarity = (text: string) =>
      table?.computeSimilarity(table.toUnit(vector ?? []), opened.embedder.findRow(digestText(text)) ?? -1) ?? 0;
    expect(TEXTS.toSorted((a, b) => similarity(b) - similarity(a))[0]).toBe(TEXTS[2]);
    expect(peer.texts.filter(text => text.startsWith('name: tool')).toSorted()).toEqual(TEXTS.toSorted());
    expect(peer.asked.length).toBeLessThan(TEXTS.length);
    expect(opened.embedder.status).toMatchObject({ provider, ready: true, problem: null, waiting: 0, embedded: 20 });
  });

  test('the embedder sends the request that the protocol of the service defines', async () => {
    const peer = await service();
    const headers = [{ name: 'x-team', value: 'tools' }];
    const opened = open(peer, { provider, model: 'small', headers, url: `${peer.url}/` }, { apiKey: 'k' });
    want(opened, ['one']);
    await allEmbedded(opened, ['one']);
    const [{ path, body, headers: sent } = expect.fail()] = peer.asked;
    expect(sent).toMatchObject({ 'x-team': 'tools', authorization: 'Bearer k', 'content-type': 'application/json' });
    expect({ path, body }).toEqual(
      provider === 'tei'
        ? { path: '/embed', body: { inputs: ['one'], truncate: true } }
        : { path: '/embeddings', body: { model: 'small', input: ['one'], encoding_format: 'float' } },
    );
  });

  test.each<[what: string, mood: TestEmbeddingService['mood'], problem: string]>([
    ['a 500', 500, 'the service answered 500'],
    ['a 401', 401, 'it does not accept the credential'],
    ['a 422 for each text', 422, 'the service answered 422'],
    ['an empty list', { json: [] }, /did not answer with a vector|something other than an object/.source],
    ['a broken connection', 'breaks off', '127.0.0.1'],
    ['NaN in place of a number', { text: '[[NaN, NaN]]' }, 'did not answer JSON'],
    ['an HTML page', { text: '<html></html>' }, 'did not answer JSON'],
    ['a missing vector', { json: [[1]] }, /did not answer with a vector|something other than an object/.source],
    [
      'a list of empty vectors',
      { json: [[], [], [], [], [], [], [], []] },
      /did not answer with a vector|something other/.source,
    ],
    [
      'a string in place of a number',
      { json: [['1']] },
      /did not answer with a vector|something other than an object/.source,
    ],
  ])('%s counts as a failure of the embedding service, and no text is lost', async (_what, mood, problem) => {
    const peer = await service();
    peer.mood = mood;
    const opened = open(peer, { provider });
    want(opened);
    await expect.poll(() => opened.embedder.status.problem).toMatch(new RegExp(problem));
    expect(opened.embedder.status).toMatchObject({ ready: false, waiting: 20, refused: 0 });
    peer.mood = 'answers';
    await expect.poll(() => opened.embedder.status).toMatchObject({ ready: true, embedded: 20, problem: null });
  });
});

test('the embedder gives up a text that the service cannot embed, also if it is the first text, and embeds the other texts', async () => {
  const peer = await service();
  const opened = open(peer);
  // Its vector is all zeros.
  want(opened, ['日本語', ...TEXTS.slice(0, 3)]);
  await allEmbedded(opened, TEXTS.slice(0, 3));
  await expect.poll(() => opened.embedder.status).toMatchObject({ ready: true, embedded: 3, refused: 1, waiting: 0 });
  expect(opened.replaced.at(-1)).toBe(opened.embedder.table);
});

test.each<[what: string, mood: TestEmbeddingService['mood'], requests: number]>([
  ['breaks the connection gets the request again at once', 'breaks off', 2],
  ['answers 429 gets no second request', 429, 1],
  ['answers 500 gets no second request', 500, 1],
  ['answers no vector gets no second request', { text: 'no' }, 1],
])('an embedding service that %s for the description of a search', async (_, mood, requests) => {
  const peer = await service();
  const opened = open(peer);
  want(opened, ['one']);
  await allEmbedded(opened, ['one']);
  const before = peer.asked.length;
  peer.mood = mood;
  expect(await opened.embedder.findVector('anything')).toBeUndefined();
  expect(peer.asked.slice(before).filter(({ texts }) => texts.includes('anything'))).toHaveLength(requests);
});

test('a search waits for a silent embedding service only once, and no longer than the timeout', async () => {
  const peer = await service();
  const opened = open(peer, { timeoutMs: 300 });
  want(opened, ['one']);
  await allEmbedded(opened, ['one']);
  peer.mood = 'hangs';
  expect(await opened.embedder.findVector('anything')).toBeUndefined();
  const asked = [...opened.embedder.counts.all()].find(one => one.purpose === 'query' && one.result === 'error');
  expect(asked?.seconds.count).toBe(1);
});

test('a search waits for a slow embedding service up to the timeout', async () => {
  const peer = await service();
  const opened = open(peer, { timeoutMs: 60_000 });
  want(opened, ['one']);
  await allEmbedded(opened, ['one']);
  // Waits longer than one disk write.
  peer.delayMs = 5_100;
  expect(await opened.embedder.findVector('anything')).toHaveLength(64);
});

test('the embedder gives up a text that the embedding service refuses, and embeds all other texts', async () => {
  const peer = await service();
  peer.refuses = text => text === TEXTS[7];
  const opened = open(peer);
  want(opened);
  const others = TEXTS.filter(text => text !== TEXTS[7]);
  await allEmbedded(opened, others);
  await expect.poll(() => opened.embedder.status).toMatchObject({ ready: true, waiting: 0, refused: 1, embedded: 19 });
  expect(opened.lines.filter(({ msg }) => msg.includes('does not accept the text'))).toHaveLength(1);
});

test('the embedder sends fewer texts per request to an embedding service that accepts fewer than it announces', async () => {
  const peer = await service({ maxBatch: 3 });
  const opened = open(peer, { provider: 'openai' });
  want(opened);
  await allEmbedded(opened);
  expect(opened.embedder.status.refused).toBe(0);
});

test('the embedder respects the limits that an embedding service announces', async () => {
  const peer = await service();
  peer.mood = 429;
  const opened = open(peer);
  want(opened);
  await expect.poll(() => opened.embedder.status.problem).toMatch('the service answered 429');
  expect(opened.embedder.status.refused).toBe(0);
});

test('three failures in a row open the circuit of the embedding service, which then gets no request for a while', async () => {
  const peer = await service();
  peer.mood = 500;
  const opened = open(peer);
  want(opened);
  await expect.poll(() => opened.embedder.status.circuitBreakerState).toBe('open');
  const before = peer.asked.length;
  expect(await opened.embedder.findVector('anything')).toBeUndefined();
  expect(peer.asked).toHaveLength(before);
  expect(opened.lines.filter(({ msg }) => msg.includes('does not answer'))).toHaveLength(1);
});

test('the embedder embeds all texts again when the service changes its model', async () => {
  const peer = await service();
  const opened = open(peer);
  want(opened);
  await allEmbedded(opened);
  peer.model = 'other';
  // After a failure its traits are fetched again.
  peer.mood = 500;
  expect(await opened.embedder.findVector('a')).toBeUndefined();
  peer.mood = 'answers';
  await expect.poll(() => opened.embedder.status).toMatchObject({ model: 'other', embedded: 0 });
  expect(opened.replaced.at(-1)).toBeUndefined();
  want(opened);
  await allEmbedded(opened);
});

test('the embedder does not connect to a private address that the operator denies', async () => {
  const peer = await service();
  const opened = open(peer, {}, { denial: { except: [] } });
  want(opened);
  await expect.poll(() => opened.embedder.status.problem).toMatch(/127\.0\.0\.1/);
  expect(peer.asked).toEqual([]);
});

test('the embedder embeds the description of a search once for all concurrent searches', async () => {
  const peer = await service();
  const opened = open(peer);
  want(opened, ['one']);
  await allEmbedded(opened, ['one']);
  const before = peer.asked.length;
  await Promise.all([1, 2, 3].map(() => opened.embedder.findVector('the same')));
  await opened.embedder.findVector('the same');
  expect(peer.asked.length - before).toBe(1);
});

test('the embedder embeds no more texts at its limit of bytes, and drops unused texts for new texts', async () => {
  const peer = await service();
  // Space for 12 vectors of 64 numbers.
  const opened = open(peer, {}, { maxBytes: 12 * 64 * 4 });
  want(opened);
  await expect.poll(() => opened.embedder.status).toMatchObject({ embedded: 12, waiting: 0, refused: 8 });
  opened.inUse.clear();
  want(opened, ['new']);
  await allEmbedded(opened, ['new']);
  expect(opened.embedder.status.embedded).toBe(1);
});

describe('vectors on disk', () => {
  async function kept(): Promise<{ readonly file: string; readonly peer: TestEmbeddingService }> {
    const [made, peer] = await Promise.all([folder(), service()]);
    const file = join(made, 'deep', 'embeddings.bin');
    const opened = open(peer, {}, { file });
    want(opened);
    await allEmbedded(opened);
    await opened.embedder.close();
    return { file, peer };
  }
  const embeddedNow = ({ texts }: TestEmbeddingService) => texts.filter(text => text.startsWith('name: tool')).length;

  test('the embedder embeds only new texts after a start', async () => {
    const { file, peer } = await kept();
    const opened = open(peer, {}, { file });
    await expect.poll(() => opened.embedder.table).toBeDefined();
    want(opened, [...TEXTS, 'name: tool_new description: New.']);
    await allEmbedded(opened, [...TEXTS, 'name: tool_new description: New.']);
    expect(embeddedNow(peer)).toBe(21);
  });

  test('the embedder embeds no text before it has read its file of vectors', async () => {
    const { file, peer } = await kept();
    const opened = open(peer, {}, { file });
    want(opened);
    await allEmbedded(opened);
    await expect.poll(() => opened.embedder.status.ready).toBe(true);
    expect(embeddedNow(peer)).toBe(20);
  });

  test('the embedder ignores vectors in its file that come from another model than the service has now', async () => {
    const { file, peer } = await kept();
    peer.model = 'other';
    const opened = open(peer, {}, { file });
    await expect.poll(() => opened.embedder.status.model).toBe('other');
    expect(opened.embedder.status.embedded).toBe(0);
  });

  test('the embedder ignores vectors in its file that have another length than those of the service, even under the same model name', async () => {
    const { file, peer } = await kept();
    peer.dimensions = 32;
    const opened = open(peer, {}, { file });
    want(opened);
    await allEmbedded(opened);
    // No text was embedded: the query is the first vector with the new length.
    expect(await opened.embedder.findVector('the bills')).toBeUndefined();
    expect(opened.replaced.at(-1)).toBeUndefined();
    want(opened);
    await allEmbedded(opened);
    expect(opened.embedder.table?.dimensions).toBe(32);
    expect(await opened.embedder.findVector('the bills')).toHaveLength(32);
  });

  test.each<[what: string, damage: (bytes: Buffer) => Buffer, cause: string]>([
    ['that is too short', bytes => bytes.subarray(0, -5), 'its length is wrong'],
    ['with a flipped bit', bytes => flipped(bytes, bytes.length >> 1), 'its content is damaged'],
    ['with another content', () => Buffer.from('hello'), 'it is not a file that this gateway has written'],
    ['that is empty', () => Buffer.alloc(0), 'it is not a file that this gateway has written'],
    ['with an impossible count', bytes => withCount(bytes, 2 ** 40), 'it is larger than a file of embeddings can be'],
  ])('the embedder does not use a vector file %s, and the log says so', async (_what, damage, cause) => {
    const { file, peer } = await kept();
    await writeFile(file, damage(await readFile(file)));
    const opened = open(peer, {}, { file });
    want(opened);
    await allEmbedded(opened);
    expect(embeddedNow(peer)).toBe(40);
    expect(opened.lines.filter(({ msg }) => msg.includes('kept on disk are not used'))).toMatchObject([{ cause }]);
  });

  test('the log says so when the embedder cannot write its vectors to the folder', async () => {
    const [made, peer] = await Promise.all([folder(), service()]);
    await writeFile(join(made, 'file'), '');
    const opened = open(peer, {}, { file: join(made, 'file', 'embeddings.bin') });
    want(opened, ['one']);
    await allEmbedded(opened, ['one']);
    await opened.embedder.close();
    expect(opened.lines.map(({ msg }) => msg)).toContainEqual(expect.stringContaining('cannot be kept on disk'));
  });
});

function flipped(bytes: Buffer, at: number): Buffer {
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
}

function withCount(bytes: Buffer, count: number): Buffer {
  const end = bytes.indexOf('\n');
  const head = { ...JSON.parse(bytes.toString('utf8', 0, end)), count };
  return Buffer.concat([Buffer.from(JSON.stringify(head)), bytes.subarray(end)]);
}
