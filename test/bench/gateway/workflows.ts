/** Measures what workflows cost, compared with the calls that they consist of, and with the same calls through a bare proxy. */
import { parse } from 'yaml';
import type { WorkflowTool } from '#schemas';
import { lowerWorkflowTool } from '../../../compiler/analysis/gateway/workflow.ts';
import { statelessHead } from './calls.ts';
import { median } from './median.ts';
import {
  COLLECTS_GARBAGE,
  collectGarbage,
  cpuUs,
  memoryMb,
  type Server,
  startBackend,
  startBareProxy,
  startGateway,
} from './processes.ts';
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

class Session {
  readonly #url: string;
  readonly #id: string | undefined;
  #calls = 0;

  /** @param id undefined for stateless clients */
  constructor(url: string, id?: string) {
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
        ...(this.#id === undefined ? {} : { 'mcp-session-id': this.#id }),
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

/** Processor time of the gateway for each of several runs, in microseconds. */
async function costUs(gateway: Server, runs: number, run: () => Promise<void>): Promise<number> {
  const before = await cpuUs(gateway.pid);
  for (let at = 0; at < runs; at++) await run();
  return ((await cpuUs(gateway.pid)) - before) / runs;
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

/** For a number of concurrent callers: the cost of making the three calls one after the other, and of calling the workflow. */
export interface StepCosts {
  readonly callers: number;
  /** Three calls through a bare proxy, and through the gateway. */
  readonly bareThreeUs: number;
  readonly threeCallsUs: number;
  /** A workflow with these three steps. */
  readonly threeStepsUs: number;
  /** The workflow relative to the calls in the same round. */
  readonly ratio: number;
}

/**
 * With one caller, the gateway sleeps between messages, and each of its messages wakes another sleeping process. Several callers show the cost
 * of the gateway's own work.
 */
const CALLERS: readonly number[] = [1, 4];

/** Microseconds of the gateway's processor time; medians of rounds in which the variants alternate. */
export interface WorkflowCosts {
  readonly steps: readonly StepCosts[];
  /** For each of 1,000 calls of a client, 10 at a time. */
  readonly callUs: number;
  /** For each of 1,000 items of a `forEach` with `maxParallel` 10. */
  readonly itemUs: number;
  /** Memory of 1,000 workflows that wait for stateless clients. */
  readonly waitingMb: number;
}

export interface WorkflowCostOptions {
  readonly rounds: number;
  /** Runs of the three calls, and of the workflow, in each round. */
  readonly runs: number;
  readonly folder: string;
}

const WAITING = 1_000;

/** The rounds of calls and workflows for each round of the other measurements, because they differ by less than two rounds do. */
const STEP_ROUNDS = 4;

export async function measureWorkflows({ rounds, runs, folder }: WorkflowCostOptions): Promise<WorkflowCosts> {
  await using backend = await startBackend();
  await using bare = await startBareProxy(backend);
  await using gateway = await startGateway(folder, backend, NAMES, {
    policy: { workflows: [ASKING, EACH, THREE] },
    nodeOptions: COLLECTS_GARBAGE,
  });
  const session = await Session.open(gateway.url);
  const direct = new Session(bare.url);
  const items = Array.from({ length: 1_000 }, (_, at) => `item ${at}`);
  const thrice = (target: Session) => async () => {
    for (let at = 0; at < 3; at++) await target.call(TOOL, QUERY);
  };
  const three = () => session.call('three', { query: QUERY.query });
  const steps: StepCosts[] = [];
  for (const callers of CALLERS) {
    const costOf = async (server: Server, run: () => Promise<void>) =>
      (await costUs(server, 1, () => inParallel(runs, callers, run))) / runs;
    const measured: Omit<StepCosts, 'callers'>[] = [];
    // The first round warms up V8.
    for (let round = 0; round <= STEP_ROUNDS * rounds; round++) {
      const bareThreeUs = await costOf(bare, thrice(direct));
      const threeCallsUs = await costOf(gateway, thrice(session));
      const threeStepsUs = await costOf(gateway, three);
      if (round > 0) measured.push({ bareThreeUs, threeCallsUs, threeStepsUs, ratio: threeStepsUs / threeCallsUs });
    }
    const of = (figure: keyof (typeof measured)[0]) => median(measured.map(costs => costs[figure]));
    const [bareThreeUs, threeCallsUs, threeStepsUs] = [of('bareThreeUs'), of('threeCallsUs'), of('threeStepsUs')];
    steps.push({ callers, bareThreeUs, threeCallsUs, threeStepsUs, ratio: of('ratio') });
  }
  const measured: { readonly callUs: number; readonly itemUs: number }[] = [];
  for (let round = 0; round <= rounds; round++) {
    const callUs = (await costUs(gateway, 1, () => inParallel(1_000, 10, () => session.call(TOOL, QUERY)))) / 1_000;
    const itemUs = (await costUs(gateway, 1, () => session.call('each', { items }))) / 1_000;
    if (round > 0) measured.push({ callUs, itemUs });
  }
  await collectGarbage(gateway);
  const { now: before } = await memoryMb(gateway.pid);
  for (let at = 0; at < WAITING; at++) await askStateless(gateway.url, at);
  await collectGarbage(gateway);
  const { now: after } = await memoryMb(gateway.pid);
  return {
    steps,
    callUs: median(measured.map(({ callUs }) => callUs)),
    itemUs: median(measured.map(({ itemUs }) => itemUs)),
    waitingMb: after - before,
  };
}
