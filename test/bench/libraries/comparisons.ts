/** The pairs that the benchmark compares: Lintel's own code, and the library that could replace it. */
import { createRequire } from 'node:module';
import { UriTemplate } from '@modelcontextprotocol/sdk/shared/uriTemplate.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { createParser } from 'eventsource-parser';
import { LRUCache } from 'lru-cache';
import MiniSearch from 'minisearch';
import { Histogram as PromHistogram, Registry } from 'prom-client';
import { parseAllDocuments } from 'yaml';
import { readUriTemplate } from '#shared/plan';
import { ToolIndex } from '#shared/search';
import { createFullBucket, refill, type TokenBucket } from '#shared/util';
import { checkStructure } from '../../../compiler/check/structural.ts';
import { createMatcher } from '../../../compiler/lint/index.ts';
import { readPlainYaml } from '../../../compiler/source/plain-yaml/read-plain-yaml.ts';
import { createLimit } from '../../../runtime/gateway/limits/limit.ts';
import { MemoryBuckets } from '../../../runtime/gateway/limits/memory-buckets.ts';
import { EventStreamParser } from '../../../runtime/mcp/event-stream-parser.ts';
import { readEnvelope } from '../../../runtime/mcp/read-envelope.ts';
import { Histogram } from '../../../runtime/observe/metrics/histogram.ts';
import { TrigramIndex } from '../../../runtime/registry/listing/trigram-index.ts';
import { buildInternalKind } from '../../../schemas/generate/internal-schema.ts';
import { buildJsonSchema } from '../../../schemas/generate/json-schema.ts';
import { KINDS } from '../../../schemas/kinds/index.ts';
import { gatewayTexts } from '../gateways.ts';
import { corpus, searchTerms } from '../registry/corpus.ts';
import type { Compared } from './paired.ts';

// The package has no types.
const picomatch: (pattern: string, options: { readonly dot: boolean }) => (path: string) => boolean = createRequire(
  import.meta.url,
)('picomatch');

const SERVERS = 10_000;

const times =
  (work: (piece: number) => unknown): Compared['ours'] =>
  pieces => {
    for (let piece = 0; piece < pieces; piece++) work(piece);
  };

/** A result of typical size, as backends send it in an event stream. */
function eventStream(): Compared {
  const answer = JSON.stringify({
    jsonrpc: '2.0',
    id: 7,
    result: { content: [{ type: 'text', text: 'x'.repeat(400) }] },
  });
  const bytes = Buffer.from(`event: message\nid: 0-1\ndata: ${answer}\n\n`);
  const decoder = new TextDecoder();
  let events = 0;
  const parser = new EventStreamParser(() => events++, { maxEventBytes: 1024 * 1024 });
  const library = createParser({ onEvent: () => events++ });
  return {
    name: 'an event of 0.5 KB',
    library: 'eventsource-parser',
    waits: 'a call whose backend answers in an event stream',
    pieces: 20_000,
    ours: times(() => parser.push(bytes)),
    theirs: times(() => library.feed(decoder.decode(bytes, { stream: true }))),
  };
}

function uriTemplate(): Compared {
  const text = 'file:///repos/{owner}/{name}/blob/{+path}';
  const uri = 'file:///repos/acme/site/blob/docs/a/page.md';
  const [ours, theirs] = [readUriTemplate(text), new UriTemplate(text)];
  if (ours?.matches(uri) !== true || theirs.match(uri) === null) throw new Error(`${uri} fits ${text}`);
  return {
    name: 'a URI and a template',
    library: '@modelcontextprotocol/sdk',
    waits: 'a read of a resource that is on no list, for each template of the gateway',
    pieces: 20_000,
    ours: times(() => ours.matches(uri)),
    theirs: times(() => theirs.match(uri)),
  };
}

const [, gatewayText] = gatewayTexts(1);
const yaml = gatewayText?.text ?? '';

function yamlReader(): Compared {
  if (readPlainYaml(yaml) === undefined) throw new Error('the plain reader reads a usual gateway');
  return {
    name: `a gateway of ${(yaml.length / 1000).toFixed(1)} KB in YAML`,
    library: 'yaml',
    waits: '`lintel check`, for each gateway',
    pieces: 100,
    ours: times(() => readPlainYaml(yaml)),
    theirs: times(() => parseAllDocuments(yaml).map(document => document.toJS())),
  };
}

function structural(): Compared {
  const definition = KINDS.find(({ kind }) => kind === 'VirtualMCPServer');
  if (definition === undefined) throw new Error('VirtualMCPServer is a kind');
  const document = parseAllDocuments(yaml)
    .map(each => each.toJS() as { readonly kind: string; readonly spec: unknown })
    .find(({ kind }) => kind === 'VirtualMCPServer');
  if (document === undefined) throw new Error('the text has a gateway');
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  formats.default(ajv, ['int32', 'int64', 'date-time']);
  const validate = ajv.compile(buildJsonSchema(definition));
  const { spec } = buildInternalKind(definition);
  if (!validate(document) || checkStructure(spec, document.spec).length > 0) throw new Error('the gateway is valid');
  return {
    name: 'the structure of that gateway',
    library: 'ajv (compiled beforehand)',
    waits: '`lintel check`, for each gateway',
    pieces: 2_000,
    ours: times(() => checkStructure(spec, document.spec)),
    theirs: times(() => validate(document)),
  };
}

function registrySearch(): Compared {
  const texts = [
    ...new Set([...corpus(SERVERS)].map(({ server }) => `${server.name} ${server.description}`.toLowerCase())),
  ];
  const terms = searchTerms(SERVERS, 100).map(term => term.toLowerCase());
  const index = new TrigramIndex(texts);
  const library = new MiniSearch<{ id: number; text: string }>({ fields: ['text'] });
  library.addAll(texts.map((text, id) => ({ id, text })));
  return {
    name: `a search among ${texts.length} entries`,
    library: 'minisearch',
    waits: 'a search in a registry; the library finds words and their beginnings, not parts of them',
    pieces: 100,
    ours: times(piece => {
      const matches = index.find(terms[piece] as string, 0);
      for (let found = 0; found < 30 && matches.next() !== -1; found++);
    }),
    theirs: times(piece => library.search(terms[piece] as string, { prefix: true, combineWith: 'AND' }).slice(0, 30)),
  };
}

function toolSearch(): Compared {
  const tools = [...corpus(SERVERS / 30)].map(({ server }, number) => ({
    name: `${server.name.replace(/\W/g, '_')}_${number}`,
    description: String(server.description),
  }));
  const index = new ToolIndex();
  const selection = index.select(tools.map(tool => index.add(tool)));
  const settings = { maxTools: 8, semanticRatio: 0, distanceThreshold: 1 };
  const library = new MiniSearch<{ id: number; name: string; description: string }>({
    fields: ['name', 'description'],
  });
  library.addAll(tools.map((tool, id) => ({ id, ...tool })));
  const queries = searchTerms(SERVERS, 100);
  return {
    name: `a search among ${tools.length} tools`,
    library: 'minisearch',
    waits: '`find_tool`, by words',
    pieces: 20,
    ours: times(piece => index.search({ description: queries[piece] as string }, selection, settings).listHits()),
    theirs: times(piece => library.search(queries[piece] as string).slice(0, 8)),
  };
}

function envelope(kilobytes: number): Compared {
  const text = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'echo',
      arguments: { lines: Array.from({ length: kilobytes * 10 }, (_, at) => `${at}${'x'.repeat(88)}`) },
    },
  });
  return {
    name: `a call of ${kilobytes} KB`,
    library: 'JSON.parse',
    waits: 'each call; the library would write the message again, which is not in the figure',
    pieces: Math.ceil(20_000 / kilobytes),
    ours: times(() => readEnvelope(text)),
    theirs: times(() => JSON.parse(text)),
  };
}

function metrics(): Compared {
  const labels = {
    method: 'tools/call',
    tool: 'echo',
    outcome: 'ok',
    backend: 'one',
    protocol: '2025-11-25',
    transport: 'http',
  };
  const ours = new Histogram();
  const theirs = new PromHistogram({
    name: 'calls',
    help: 'Calls.',
    labelNames: Object.keys(labels),
    buckets: [...ours.bounds],
    registers: [new Registry()],
  }).labels(labels);
  return {
    name: 'a value into a histogram with six labels, which are known',
    library: 'prom-client',
    waits: 'each call, three times or more',
    pieces: 100_000,
    ours: times(() => ours.observe(0.03)),
    theirs: times(() => theirs.observe(0.03)),
  };
}

function tokenBuckets(): Compared {
  const limits = [
    createLimit('shared', null, { maxTokens: 1e9, refillPeriodMs: 1_000 }),
    createLimit('per_user', null, { maxTokens: 1e9, refillPeriodMs: 60_000 }),
  ];
  const users = Array.from({ length: 5_000 }, (_, number) => `user-${number}`);
  const ours = new MemoryBuckets();
  ours.use(limits);
  const kept = limits.map(
    ({ refillPeriodMs: ttl }) => new LRUCache<string, TokenBucket>({ max: 50_000, ttl, updateAgeOnGet: true }),
  );
  const take = (user: string): void => {
    const now = performance.now();
    for (const [at, limit] of limits.entries()) {
      const buckets = kept[at] as LRUCache<string, TokenBucket>;
      const key = limit.scope === 'per_user' ? user : '';
      const bucket = buckets.get(key) ?? createFullBucket(limit, now);
      refill(bucket, limit, now);
      bucket.tokens -= 1;
      if (!buckets.has(key)) buckets.set(key, bucket);
    }
  };
  return {
    name: 'two token buckets, 5,000 callers',
    library: 'lru-cache with an age',
    waits: 'each call of a gateway with rate limits',
    pieces: 50_000,
    ours: times(piece => ours.take(limits, users[piece % users.length])),
    theirs: times(piece => take(users[piece % users.length] as string)),
  };
}

function globs(name: string, pattern: string, path: string, pieces: number): Compared {
  const [ours, theirs] = [createMatcher(pattern), picomatch(pattern, { dot: true })];
  return {
    name,
    library: 'picomatch',
    waits: '`lintel check`, for each file below the sources',
    pieces,
    ours: times(() => ours(path)),
    theirs: times(() => theirs(path)),
  };
}

export const COMPARISONS: readonly (() => Compared)[] = [
  eventStream,
  uriTemplate,
  yamlReader,
  structural,
  registrySearch,
  toolSearch,
  () => envelope(1),
  () => envelope(1_000),
  metrics,
  tokenBuckets,
  () => globs('a path and a usual pattern', 'specs/**/*.{yaml,yml}', 'specs/teams/billing/gateway.yaml', 20_000),
  () => globs('thirty letters and six wildcards', '*a*a*a*a*a*b', 'a'.repeat(30), 1),
];
