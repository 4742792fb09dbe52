/**
 * `node --conditions=lintel-source test/bench/gateway/workflows.ts [--quick]`: what workflows cost, next to the calls that they are made of.
 * Needs `npm run build`.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { WorkflowTool } from '#schemas';
import { lowerWorkflowTool } from '../../../compiler/lower/workflow.ts';
import { statelessHead } from './calls.ts';
import { median } from './median.ts';
import { type Server, startBackend, startGateway } from './processes.ts';
import { openSession } from './throughput.ts';

const NAMES = new Map([['json', 'json/mcp']]);
const TOOL = 'json_tool_0';
const QUERY = { query: 'customers in the north', limit: 10 };

function workflow(yaml: string): WorkflowTool {
  const lowered = lowerWorkflowTool(parse(yaml));
  if (lowered === undefined) throw new Error('the workflow has mistakes');
  return lowered;
}

const step = (id: string, before?: string) =>
  `{ id: ${id}, tool: ${TOOL}, ${before === undefined ? '' : `dependsOn: [${before}], `}arguments: { query: "{{ .params.query }}", limit: 10 } }`;

const THREE = workflow(`
name: three
description: Three calls, one after the other
parameters: { type: object, properties: { query: { type: string } } }
steps: [${step('a')}, ${step('b', 'a')}, ${step('c', 'b')}]
`);

const EACH = workflow(`
name: each
description: A call for each item
parameters: { type: object, properties: { items: { type: array } } }
steps:
  - id: each
    type: forEach
    collection: "{{ json .params.items }}"
    maxParallel: 10
    maxIterations: 1000
    step: { id: one, tool: ${TOOL}, arguments: { query: "{{ .forEach.item }}", limit: 10 } }
output:
  properties: { count: { type: integer, description: How many, value: "{{ .steps.each.output.completed }}" } }
`);

const ASKING = workflow(`
name: asking
description: Calls, then asks
parameters: { type: object, properties: { query: { type: string } } }
steps:
  - ${step('a')}
  - { id: ask, type: elicitation, dependsOn: [a], message: "Sure?", schema: { type: object, properties: { sure: { type: boolean } } } }
`);

/** Processor time of a process so far, in milliseconds. */
async function cpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function rssMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}

class Session {
  readonly #url: string;
  readonly #id: string;
  #calls = 0;

  private constructor(url: string, id: string) {
    this.#url = url;
    this.#id = id;
  }

  static async open(url: string): Promise<Session> {
    return new Session(url, await openSession(url, undefined));
  }

  async call(name: string, args: object): Promise<void> {
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': this.#id,
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: ++this.#calls,
        method: 'tools/call',
        params: { name, arguments: args },
      }),
    });
    const text = await response.text();
    if (!text.includes('"result"') || text.includes('"isError":true'))
      throw new Error(`${name}: ${text.slice(0, 300)}`);
  }
}

/** Processor time of the gateway for each of some runs, in microseconds. */
async function costUs(gateway: Server, runs: number, run: () => Promise<void>): Promise<number> {
  const before = await cpuMs(gateway.pid);
  for (let at = 0; at < runs; at++) await run();
  return ((await cpuMs(gateway.pid)) - before) * (1_000 / runs);
}

async function inParallel(count: number, most: number, run: () => Promise<void>): Promise<void> {
  let left = count;
  const work = async () => {
    while (left-- > 0) await run();
  };
  await Promise.all(Array.from({ length: most }, work));
}

async function askStateless(url: string, at: number): Promise<void> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  };
  const lines = statelessHead('asking').trimEnd().split('\r\n');
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...Object.fromEntries(lines.map(line => line.split(': ') as [string, string])),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: at,
      method: 'tools/call',
      params: { name: 'asking', arguments: { query: `q${at}` }, _meta },
    }),
  });
  const text = await response.text();
  if (!text.includes('input_required')) throw new Error(text.slice(0, 300));
}

const isQuick = process.argv.includes('--quick');
const folder = await mkdtemp(join(tmpdir(), 'lintel-bench-'));
try {
  await using backend = await startBackend();
  await using gateway = await startGateway(folder, backend, NAMES, { policy: { workflows: [ASKING, EACH, THREE] } });
  const session = await Session.open(gateway.url);
  const rounds = isQuick ? 3 : 7;
  const runs = isQuick ? 200 : 1_000;
  const items = Array.from({ length: 1_000 }, (_, at) => `item ${at}`);
  const three: number[] = [];
  const calls: number[] = [];
  const each: number[] = [];
  const eachCalls: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const costs = [
      await costUs(gateway, runs, async () => {
        for (let at = 0; at < 3; at++) await session.call(TOOL, QUERY);
      }),
      await costUs(gateway, runs, () => session.call('three', { query: QUERY.query })),
      await costUs(gateway, 1, () => inParallel(1_000, 10, () => session.call(TOOL, QUERY))),
      await costUs(gateway, 1, () => session.call('each', { items })),
    ] as const;
    if (round === 0) continue;
    calls.push(costs[0]);
    three.push(costs[1]);
    eachCalls.push(costs[2] / 1_000);
    each.push(costs[3] / 1_000);
  }
  const before = await rssMb(gateway.pid);
  for (let at = 0; at < 1_000; at++) await askStateless(gateway.url, at);
  const after = await rssMb(gateway.pid);
  const us = (values: readonly number[]) => `${median(values).toFixed(0)} µs`;
  console.log('| what | processor time of the gateway |\n|---|---|');
  console.log(`| three calls of a client, one after the other | ${us(calls)} |`);
  console.log(`| a workflow of these three steps | ${us(three)} |`);
  console.log(`| 1,000 calls of a client, 10 at a time, each | ${us(eachCalls)} |`);
  console.log(`| forEach of 1,000 items with maxParallel 10, each | ${us(each)} |`);
  console.log(`\n1,000 workflows that wait for clients without sessions: ${(after - before).toFixed(1)} MB`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
