/** Measures what `find_tool` costs with 10,000 tools: processor time of the search, without HTTP and without the embedding request. */
import { execFileSync } from 'node:child_process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLogger } from '#runtime';
import type { EmbeddingPlan } from '#schemas';
import { type ToolDefinition, VectorTable } from '#shared/search';
import { PreparedList } from '../../../runtime/gateway/offers/prepared-list.ts';
import { Embedder } from '../../../runtime/gateway/optimizer/embeddings/embedder.ts';
import { EmbeddingCounts } from '../../../runtime/gateway/optimizer/embeddings/embedding-counts.ts';
import type { EmbeddingSource } from '../../../runtime/gateway/optimizer/embeddings/embedding-source.ts';
import { Optimizer } from '../../../runtime/gateway/optimizer/optimizer.ts';
import { SearchableTools } from '../../../runtime/gateway/optimizer/searchable-tools.ts';
import { CooperativeScheduler } from '../../../runtime/gateway/scheduling/cooperative-scheduler.ts';

const EMBEDDINGS: EmbeddingPlan = {
  provider: 'tei',
  url: 'http://127.0.0.1:9',
  model: null,
  headers: [],
  apiKey: null,
  timeoutMs: 30_000,
  addresses: 'any',
};

const TOOLS = 10_000;
const DIMENSIONS = 384;
const SEARCHES = 200;

/** Callers that search concurrently, each one search after the other. */
const CALLERS = 16;
const SEARCHES_OF_CALLER = 25;

const WORDS = Array.from(
  { length: 3_000 },
  (_, at) => `${'bcdfghklmnprst'[at % 14]}${'aeiou'[at % 5]}${at.toString(36)}`,
);

/** A generator of the same pseudo-random numbers for each seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** Processor time of one search, in milliseconds. */
interface SearchCost {
  readonly median: number;
  readonly slowest: number;
}

export interface OptimizerCosts {
  readonly keyword: SearchCost;
  readonly hybrid: SearchCost;
  readonly buildMs: number;
  /** The longest turn of the event loop while the index was built; processor time of its thread, because other processes may run meanwhile. */
  readonly longestMs: number;
  readonly megabytes: number;
  /** The longest turn while callers search concurrently, with the gateway's time slicing. */
  readonly longestOfSearchesMs: { readonly keyword: number; readonly hybrid: number };
}

/** Runs the measurement in a separate process, whose memory grows only by the index. */
export function measureOptimizer(): OptimizerCosts {
  const flags = ['--expose-gc', '--conditions=lintel-source', import.meta.filename];
  return JSON.parse(execFileSync(process.execPath, flags, { encoding: 'utf8' })) as OptimizerCosts;
}

async function measure(): Promise<OptimizerCosts> {
  const random = randomOf(1);
  // Few words are frequent, and many are rare.
  const text = (count: number) =>
    Array.from({ length: count }, () => WORDS[Math.floor(random() ** 3 * WORDS.length)]).join(' ');
  const items = Array.from({ length: TOOLS }, (_, at) => {
    const properties = Object.fromEntries(
      Array.from({ length: 6 }, (_, parameter) => [`p${parameter}`, { type: 'string', description: text(6) }]),
    );
    const tool: ToolDefinition = {
      name: `tool_${at}`,
      description: text(40),
      inputSchema: { type: 'object', properties },
    };
    return { key: tool.name, json: JSON.stringify(tool) };
  });
  const list = new PreparedList('tools', items);
  global.gc?.();
  const before = process.memoryUsage();
  const turns = measureTurns();
  const startedAt = process.cpuUsage();
  const { index, selection } = await new SearchableTools(new CooperativeScheduler()).get(list);
  const built = secondsOf(startedAt);
  const longestMs = turns.end();
  const table = new VectorTable(DIMENSIONS);
  index.useVectors(table);
  const vector = () => Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5);
  for (const id of selection.ids) index.assignRow(id, table.add(vector()));
  global.gc?.();
  const after = process.memoryUsage();
  const megabytes = (after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers) / 1024 / 1024;
  const search = (ratio: number): SearchCost => {
    const taken: number[] = [];
    for (let at = 0; at < SEARCHES; at++) {
      const query = { description: text(24) };
      const [meaning, begunAt] = [vector(), process.cpuUsage()];
      const settings = { maxTools: 8, semanticRatio: ratio, distanceThreshold: 1 };
      const found = index.search(query, selection, settings, meaning);
      while (!found.isDone) found.step(1_000);
      found.listHits();
      taken.push(secondsOf(begunAt) * 1_000);
    }
    taken.sort((a, b) => a - b);
    return { median: taken[SEARCHES >> 1] ?? 0, slowest: taken[Math.floor(SEARCHES * 0.99)] ?? 0 };
  };
  return {
    keyword: search(0),
    hybrid: search(0.5),
    buildMs: built * 1_000,
    longestMs,
    megabytes,
    longestOfSearchesMs: {
      keyword: await longestOfSearches(list, 0, text, vector),
      hybrid: await longestOfSearches(list, 0.5, text, vector),
    },
  };
}

/** The longest turn while callers search with the gateway's optimizer, without requests to an embedding service. */
async function longestOfSearches(
  list: PreparedList,
  semanticRatio: number,
  text: (words: number) => string,
  vector: () => Float32Array,
): Promise<number> {
  const source: EmbeddingSource = {
    counts: new EmbeddingCounts(),
    saysWhatItIs: false,
    traits: async () => ({ model: 'bench', maxBatch: 32 }),
    // Resolves in a later turn of the event loop, as over a network.
    embed: async texts => {
      await nextTurn();
      return texts.map(vector);
    },
    embedQuery: async () => {
      await nextTurn();
      return vector();
    },
    probe: async () => {},
    close: async () => {},
  };
  const embedder = new Embedder(EMBEDDINGS, source, { log: createLogger('silent'), maxBytes: 64 * 1024 * 1024 });
  const plan = { maxTools: 8, semanticRatio, distanceThreshold: 1 };
  const optimizer = new Optimizer(plan, new CooperativeScheduler(), embedder);
  optimizer.use();
  await optimizer.index(list);
  while (embedder.status.embedded < TOOLS) await new Promise(resolve => setTimeout(resolve, 20));
  const search = async (owner: object): Promise<void> => {
    const { search: kind } = await optimizer.find({ description: text(24) }, list, 'stateless', owner);
    if (kind !== (semanticRatio === 0 ? 'keyword' : 'hybrid')) throw new Error(`tools were found by ${kind}`);
  };
  const turns = measureTurns();
  const callers = Array.from({ length: CALLERS }, async (_, owner) => {
    for (let at = 0; at < SEARCHES_OF_CALLER; at++) await search({ owner });
  });
  await Promise.all(callers);
  const longestMs = turns.end();
  await optimizer.release();
  return longestMs;
}

/** Measures the processor time of each turn of the event loop; `end` returns the longest. */
function measureTurns(): { end(): number } {
  let longestMs = 0;
  let isMeasuring = true;
  let since = process.threadCpuUsage();
  const next = () => {
    const { user, system } = process.threadCpuUsage(since);
    longestMs = Math.max(longestMs, (user + system) / 1_000);
    since = process.threadCpuUsage();
    if (isMeasuring) setImmediate(next);
  };
  setImmediate(next);
  return {
    end: () => {
      isMeasuring = false;
      return longestMs;
    },
  };
}

function secondsOf(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1e6;
}

if (import.meta.filename === process.argv[1]) process.stdout.write(JSON.stringify(await measure()));
