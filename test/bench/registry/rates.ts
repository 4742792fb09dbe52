/** Measures pages and searches of a large registry at the built server, compared with a bare route that returns the same bytes. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Load, type Slice } from '../gateway/load.ts';
import { memoryMb, type Server, startServer } from '../gateway/processes.ts';
import { startTokenIssuer } from '../gateway/token-issuer.ts';
import { SERVERS_PATH, writeRegistry } from './bundle.ts';
import { searchTerms } from './corpus.ts';

export const SERVERS = 10_000;
export const CONNECTIONS = [1, 16] as const;

/** The number of search terms. It is so large that the cache has dropped a term's result before the term is used again. */
const TERMS = 60_000;

export interface RatesOptions {
  readonly rounds: number;
  readonly sliceMs: number;
  readonly folder: string;
}

export interface Cell {
  readonly asked: string;
  readonly target: string;
  readonly connections: number;
  readonly slices: Slice[];
}

export interface Rates {
  readonly cells: readonly Cell[];
  /** Bytes of a page: uncompressed, and in the coding that most clients accept. */
  readonly pageBytes: number;
  readonly gzipBytes: number;
  readonly starts: readonly Start[];
  /** Resident memory in megabytes after the first page, and after the load. */
  readonly memory: { readonly rest: number; readonly load: number };
}

export interface Start {
  /** The milliseconds from the server's start to its listening port, and to its first page. */
  readonly listeningMs: number;
  readonly firstPageMs: number;
}

interface Question {
  readonly asked: string;
  readonly paths: readonly string[];
  readonly head: string;
  readonly holds: string;
}

export async function measureRates({ rounds, sliceMs, folder }: RatesOptions): Promise<Rates> {
  await using issuer = await startTokenIssuer();
  const token = await issuer.token('somebody');
  const file = await writeRegistry(folder, SERVERS, issuer.plan.providers);
  const starts: Start[] = [];
  for (let run = 0; run <= rounds; run++) {
    const start = await measureStart(file, token);
    // The first run fills the file cache.
    if (run > 0) starts.push(start);
  }
  await using served = await startRegistry(file);
  const { bytes, gzipBytes } = await readPage(served, token);
  await new Promise(done => setTimeout(done, 1_000));
  const rest = (await memoryMb(served.pid)).now;
  await writeFile(join(folder, 'page.json'), bytes);
  await using bare = await startServer([join(import.meta.dirname, 'bare-route.mjs'), join(folder, 'page.json')]);
  await using alone = await startServer([
    '--conditions=lintel-source',
    join(import.meta.dirname, 'api-alone.ts'),
    String(SERVERS),
  ]);
  const targets = [
    { target: 'bare route', server: bare, head: '' },
    { target: 'API alone', server: alone, head: '' },
    { target: 'lintel-runtime', server: served, head: authorization(token) },
  ];
  const cells = await measure(targets, await questions(served, token), rounds, sliceMs);
  return {
    cells,
    pageBytes: bytes.length,
    gzipBytes,
    starts,
    memory: { rest, load: (await memoryMb(served.pid)).now },
  };
}

async function questions(served: Server, token: string): Promise<Question[]> {
  const pages = await somePages(served, token);
  return [
    { asked: 'page of 30', paths: [SERVERS_PATH], head: '', holds: '"count":30' },
    { asked: 'page of 30, gzip', paths: [SERVERS_PATH], head: 'Accept-Encoding: gzip\r\n', holds: 'HTTP/1.1 200' },
    { asked: 'pages of 30 in turn', paths: pages, head: '', holds: '"count":30' },
    {
      asked: 'search, different terms',
      paths: searchTerms(SERVERS, TERMS).map(term => `${SERVERS_PATH}?search=${encodeURIComponent(term)}`),
      head: '',
      holds: '"servers":[',
    },
  ];
}

/** The addresses of the first 200 pages. */
async function somePages(served: Server, token: string): Promise<string[]> {
  const paths = [SERVERS_PATH];
  while (paths.length < 200) {
    const { metadata } = (await (await get(served, paths.at(-1) ?? '', token)).json()) as {
      metadata: { nextCursor: string };
    };
    paths.push(`${SERVERS_PATH}?cursor=${metadata.nextCursor}`);
  }
  return paths;
}

interface Target {
  readonly target: string;
  readonly server: Server;
  readonly head: string;
}

async function measure(
  targets: readonly Target[],
  questions: readonly Question[],
  rounds: number,
  ms: number,
): Promise<readonly Cell[]> {
  using load = new Load();
  const cells: Cell[] = [];
  for (const { asked, paths, head: ownHead, holds } of questions) {
    for (const connections of CONNECTIONS) {
      const row = targets.map(({ target }): Cell => ({ asked, target, connections, slices: [] }));
      // The first round is not counted. Targets alternate, so that a slow moment affects all of them.
      for (let round = 0; round <= rounds; round++) {
        const own = partOf(paths, round + (connections === 1 ? 0 : rounds + 1), 2 * (rounds + 1));
        for (const [index, { server, head }] of targets.entries()) {
          const job = { url: server.url, heads: [head + ownHead], paths: own, holds, connections, ms };
          const slice = await load.run(job, server.pid);
          if (round > 0) row[index]?.slices.push(slice);
        }
      }
      cells.push(...row);
    }
  }
  return cells;
}

/** Terms that no earlier slice has used; if there are only a few paths, all of them. */
function partOf(paths: readonly string[], part: number, parts: number): readonly string[] {
  const length = Math.floor(paths.length / parts);
  return paths.length === TERMS ? paths.slice(part * length, (part + 1) * length) : paths;
}

async function measureStart(file: string, token: string): Promise<Start> {
  const begin = performance.now();
  await using served = await startRegistry(file);
  await readPage(served, token);
  return { listeningMs: served.listeningMs, firstPageMs: performance.now() - begin };
}

function startRegistry(file: string): Promise<Server> {
  return startServer(['dist/lintel-runtime.js', '--bundle', file, '--port', '0', '--internal-address', '127.0.0.1:0']);
}

async function readPage(served: Server, token: string): Promise<{ bytes: Buffer; gzipBytes: number }> {
  const response = await get(served, SERVERS_PATH, token);
  const bytes = Buffer.from(await response.arrayBuffer());
  const coded = await get(served, SERVERS_PATH, token, 'gzip');
  await coded.arrayBuffer();
  return { bytes, gzipBytes: Number(coded.headers.get('content-length')) };
}

async function get({ url }: Server, path: string, token: string, coding = 'identity'): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, 'Accept-Encoding': coding };
  const response = await fetch(url + path, { headers });
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
  return response;
}

const authorization = (token: string): string => `Authorization: Bearer ${token}\r\n`;
