/**
 * Compares another build of the registry server with this one: both get the same number of requests alternately, and their processor time is
 * measured. Unlike a rate, that works on a busy machine too; a server with one processor handles correspondingly more or fewer requests.
 */
import { connect } from 'node:net';
import { median } from '../gateway/median.ts';
import { cpuUs, memoryMb, type Server, startServer } from '../gateway/processes.ts';
import { startTokenIssuer } from '../gateway/token-issuer.ts';
import { SERVERS_PATH, writeRegistry } from './bundle.ts';
import { searchTerms } from './corpus.ts';
import { SERVERS } from './rates.ts';

const CONNECTIONS = 16;

/** The number of requests before the measurement, so that V8 has compiled the code, and each server has had every kind of request. */
const WARM_UP = 3_000;

interface Question {
  readonly asked: string;
  readonly paths: readonly string[];
  readonly head: string;
}

const QUESTIONS: readonly Question[] = [
  { asked: 'page of 30', paths: [SERVERS_PATH], head: '' },
  { asked: 'page of 30, gzip', paths: [SERVERS_PATH], head: 'Accept-Encoding: gzip\r\n' },
  {
    asked: 'search, different terms',
    paths: searchTerms(SERVERS, 60_000).map(term => `${SERVERS_PATH}?search=${encodeURIComponent(term)}`),
    head: '',
  },
];

export interface RequestCostOptions {
  /** The folder of the other build, such as `dist` of another working tree. */
  readonly other: string;
  readonly rounds: number;
  /** Requests of a round, for each of the two. */
  readonly requests: number;
  readonly folder: string;
}

export interface RequestCost {
  /** Microseconds of processor time for a request, by the kind of request; each pair is measured one after the other. */
  readonly pairs: readonly { readonly asked: string; readonly ours: number[]; readonly theirs: number[] }[];
  /** Resident memory at rest; megabytes. */
  readonly rest: { readonly ours: number; readonly theirs: number };
  readonly load: { readonly ours: number; readonly theirs: number };
}

export async function measureCost({ other, rounds, requests, folder }: RequestCostOptions): Promise<RequestCost> {
  await using issuer = await startTokenIssuer();
  const token = await issuer.token('somebody');
  const file = await writeRegistry(folder, SERVERS, issuer.plan.providers);
  await using ours = await startRegistry('dist', file);
  await using theirs = await startRegistry(other, file);
  const ask = async (server: Server, question: Question, count: number): Promise<number> => {
    const before = await cpuUs(server.pid);
    await send(server, question, `Authorization: Bearer ${token}\r\n${question.head}`, count);
    return ((await cpuUs(server.pid)) - before) / count;
  };
  for (const server of [ours, theirs]) await ask(server, QUESTIONS[0] as Question, WARM_UP);
  const memory = async () => ({ ours: (await memoryMb(ours.pid)).now, theirs: (await memoryMb(theirs.pid)).now });
  const rest = await memory();
  const pairs = QUESTIONS.map(({ asked }) => ({ asked, ours: [] as number[], theirs: [] as number[] }));
  for (const [index, question] of QUESTIONS.entries()) {
    for (let round = 0; round <= rounds; round++) {
      const costs = { ours: await ask(ours, question, requests), theirs: await ask(theirs, question, requests) };
      // The first round is not counted.
      if (round === 0) continue;
      pairs[index]?.ours.push(costs.ours);
      pairs[index]?.theirs.push(costs.theirs);
    }
  }
  return { pairs, rest, load: await memory() };
}

export function requestCostTable({ pairs, rest, load }: RequestCost): string[] {
  const row = (figure: string, ours: number, theirs: number, ratio: number) =>
    `| ${figure} | ${ours.toFixed(0)} | ${theirs.toFixed(0)} | ${ratio.toFixed(2)} |`;
  return [
    '| figure | this build | the other | ratio |',
    '|---|---|---|---|',
    ...pairs.map(({ asked, ours, theirs }) =>
      row(
        `${asked}: processor time, us`,
        median(ours),
        median(theirs),
        median(ours.map((us, at) => us / (theirs[at] ?? Number.NaN))),
      ),
    ),
    row('resident memory at rest, MB', rest.ours, rest.theirs, rest.ours / rest.theirs),
    row('resident memory after the load, MB', load.ours, load.theirs, load.ours / load.theirs),
  ];
}

function startRegistry(build: string, file: string): Promise<Server> {
  const program = `${build}/lintel-runtime.js`;
  return startServer([program, '--bundle', file, '--port', '0', '--internal-address', '127.0.0.1:0']);
}

/** Sends a number of requests over several connections, each after the response to the previous one; every status must be 200. */
function send({ url }: Server, { paths }: Question, head: string, count: number): Promise<void> {
  const { hostname, port, host } = new URL(url);
  let sent = 0;
  let answered = 0;
  return new Promise((resolve, reject) => {
    const open = () => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      let left = 0;
      const next = () => {
        if (sent === count) socket.end();
        else socket.write(`GET ${paths[sent++ % paths.length]} HTTP/1.1\r\nHost: ${host}\r\n${head}\r\n`);
      };
      socket.on('data', chunk => {
        left = left === 0 ? lengthOf(chunk) - chunk.length : left - chunk.length;
        if (left > 0) return;
        if (++answered === count) resolve();
        next();
      });
      socket.on('connect', next).on('error', reject);
    };
    const lengthOf = (chunk: Buffer): number => {
      const text = chunk.toString('latin1');
      const head = text.indexOf('\r\n\r\n') + 4;
      const length = /^HTTP\/1\.1 200 [\s\S]*?\r\ncontent-length: (\d+)\r\n/i.exec(text.slice(0, head))?.[1];
      if (length === undefined) reject(new Error(`answered with ${text.slice(0, 200)}`));
      return head + Number(length);
    };
    for (let connection = 0; connection < CONNECTIONS; connection++) open();
  });
}
