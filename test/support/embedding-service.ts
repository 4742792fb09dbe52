/**
 * A service with the protocols of text-embeddings-inference and OpenAI on a loopback port. It computes vectors from the words of a text and
 * their synonyms, so that a search by meaning finds what keywords do not.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EmbeddingPlan, OptimizerPlan } from '#schemas';

export interface AskedEmbeddings {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
  readonly texts: readonly string[];
}

export interface EmbeddingServiceOptions {
  readonly model?: string;
  readonly maxBatch?: number;
  readonly port?: number;
  /** Synonyms, by the word that replaces them. */
  readonly synonyms?: Readonly<Record<string, string>>;
}

/** How it answers embedding requests: normally, with this status, with this JSON or text, incompletely, or not at all. */
export type EmbeddingMood =
  | 'answers'
  | 'hangs'
  | 'breaks off'
  | number
  | { readonly json: unknown }
  | { readonly text: string };

export interface TestEmbeddingService {
  readonly url: string;
  readonly port: number;
  /** Embedding requests that it has answered, correctly or not, in order. */
  readonly asked: readonly AskedEmbeddings[];
  /** Embedded texts. */
  readonly texts: readonly string[];
  mood: EmbeddingMood;
  /** How long it takes to respond with embeddings; milliseconds. */
  delayMs: number;
  model: string;
  /** Requests with such a text are refused with 422. */
  refuses: (text: string) => boolean;
  /** The length of its vectors. */
  dimensions: number;
  close(): Promise<void>;
}

export async function startEmbeddingService({
  model = 'test-model',
  maxBatch = 8,
  port = 0,
  synonyms = {},
}: EmbeddingServiceOptions = {}): Promise<TestEmbeddingService> {
  const asked: AskedEmbeddings[] = [];
  const embedded: string[] = [];
  const server = createServer((req, res) => {
    void answer(req, res).catch(error => res.writeHead(500).end(String(error)));
  });
  const service: TestEmbeddingService = {
    get url() {
      return `http://127.0.0.1:${service.port}`;
    },
    port: 0,
    asked,
    get texts() {
      return embedded;
    },
    mood: 'answers',
    delayMs: 0,
    model,
    refuses: () => false,
    dimensions: 64,
    close: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = req.url ?? '';
    if (service.mood === 'hangs') return;
    if (path === '/info') {
      json(res, 200, { model_id: service.model, max_client_batch_size: maxBatch });
      return;
    }
    const body = JSON.parse(await textOf(req)) as Record<string, unknown>;
    const isTei = path === '/embed';
    const texts = (isTei ? body.inputs : body.input) as readonly string[];
    asked.push({ path, headers: req.headers, body, texts });
    if (service.mood === 'breaks off') {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' }).write('[[1,');
      setImmediate(() => res.destroy());
    } else if (typeof service.mood === 'object' && 'text' in service.mood) res.end(service.mood.text);
    else if (typeof service.mood === 'number') json(res, service.mood, { error: 'as it was told' });
    else if (typeof service.mood === 'object') json(res, 200, service.mood.json);
    else if (texts.length > maxBatch) json(res, 413, { error: 'too many texts' });
    else if (texts.some(text => service.refuses(text))) json(res, 422, { error: 'cannot be tokenized' });
    else {
      embedded.push(...texts);
      if (service.delayMs > 0) await new Promise(resolve => setTimeout(resolve, service.delayMs));
      const vectors = texts.map(text => vectorOf(text, service.dimensions, synonyms));
      // OpenAI numbers the vectors, which need not be in the order of the texts.
      json(res, 200, isTei ? vectors : { data: vectors.map((embedding, index) => ({ index, embedding })).reverse() });
    }
  }

  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve));
  Object.assign(service, { port: (server.address() as AddressInfo).port });
  return service;
}

function json(res: ServerResponse, status: number, value: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

async function textOf(req: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of req) text += chunk;
  return text;
}

function vectorOf(text: string, dimensions: number, synonyms: Readonly<Record<string, string>>): readonly number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) {
    const meaning = synonyms[word] ?? word;
    let hash = 0;
    for (const letter of meaning) hash = (hash * 31 + letter.charCodeAt(0)) % 1_000_003;
    vector[hash % dimensions] = (vector[hash % dimensions] as number) + 1;
  }
  return vector;
}

/** The plan of an optimizer with this embedding service. */
export function optimizerBy({ url }: { readonly url: string }, more: Partial<OptimizerPlan> = {}): OptimizerPlan {
  const embeddings: EmbeddingPlan = {
    ...{ provider: 'tei', url, model: null, headers: [], apiKey: null, timeoutMs: 5_000, addresses: 'any' },
  };
  return { maxTools: 3, semanticRatio: 0.5, distanceThreshold: 0.9, embeddings, ...more };
}
