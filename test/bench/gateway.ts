/** `npm run bench:gateway [-- --quick] [-- --write]`: the built gateway (`dist/`) next to a bare proxy; see README.md. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { VERSION } from '#schemas';
import { missingPeers } from '../support/peers.ts';
import { measureAuditCosts, measureAuditWork } from './gateway/audit.ts';
import { measureBareCosts } from './gateway/bare-costs.ts';
import type { CallCost } from './gateway/call-cost.ts';
import { measureEverything } from './gateway/everything.ts';
import { type FirstCall, measureFirstCalls } from './gateway/first-calls.ts';
import { measureFullStore } from './gateway/full-store.ts';
import {
  type IdentityLists,
  measureCallCosts,
  measureIdentityLists,
  measureTokenMemory,
  type TokenMemory,
} from './gateway/identity.ts';
import { type LentStreamCost, measureLentStreams } from './gateway/lent-streams.ts';
import { type LimitCosts, measureLimitCosts } from './gateway/limits.ts';
import { measureBareFirstList, measureFirstList, measureLists, measureStart } from './gateway/lists.ts';
import type { Slice } from './gateway/load.ts';
import { median } from './gateway/median.ts';
import { measureMemory } from './gateway/memory.ts';
import { measureMetrics } from './gateway/metrics.ts';
import { measureOptimizer, type OptimizerCosts } from './gateway/optimizer.ts';
import { measureReplicas, type ReplicaCost } from './gateway/replicas.ts';
import { measureSharedSessions } from './gateway/shared-sessions.ts';
import { type Compared, measureDocuments, measureRefreshes } from './gateway/sign-in/measure.ts';
import { measureOwnTokens } from './gateway/sign-in/own-tokens.ts';
import {
  BARE,
  type Cell,
  CONNECTIONS,
  FRAMINGS,
  LEAN,
  measureThroughput,
  type Throughput,
} from './gateway/throughput.ts';
import { measureTraces } from './gateway/traces.ts';
import { measureUnusedAuthServer, measureUnusedWorkflows, type UnusedPart } from './gateway/unused.ts';
import { computeRatio, measureWorkers, type WorkerCosts, type WorkerSlice } from './gateway/workers.ts';
import { measureWorkflows, type WorkflowCosts } from './gateway/workflows.ts';

const { values } = parseArgs({ options: { quick: { type: 'boolean' }, write: { type: 'boolean' } } });
const isQuick = values.quick === true;

/** How long each of 50 backends takes to respond; the first list shows whether the gateway queries them in parallel. */
const SLOW_BACKEND_MS = 100;

function throughputTable({ cells, memory }: Throughput): string[] {
  const lines = [
    '| framing | connections | target | requests/s | of bare | of lean | p50 ms | p99 ms | CPU us/request | of bare | of lean |',
    '|---|---|---|---|---|---|---|---|---|---|---|',
  ];
  for (const framing of FRAMINGS) {
    for (const connections of CONNECTIONS) {
      const rows = cells.filter(cell => cell.framing === framing && cell.connections === connections);
      const bares = [BARE, LEAN].map(name => rows.find(cell => cell.target === name));
      lines.push(...rows.map(cell => `| ${framing} | ${connections} | ${cell.target} | ${figures(cell, bares)} |`));
    }
  }
  lines.push('', '| target | memory at rest | after the load |', '|---|---|---|');
  for (const [target, { rest, load }] of memory) {
    lines.push(`| ${target} | ${rest.toFixed(0)} MB | ${load.toFixed(0)} MB |`);
  }
  return lines;
}

/** Ratios are medians of the ratios of adjacent slices. */
function figures({ slices }: Cell, bares: readonly (Cell | undefined)[]): string {
  if (slices.length === 0) return 'not spoken yet | | | | | | |';
  const of = (figure: keyof Slice) => median(slices.map(slice => slice[figure]));
  const ratioTo = (bare: Cell | undefined, figure: keyof Slice) =>
    median(slices.map((slice, index) => slice[figure] / (bare?.slices[index]?.[figure] ?? Number.NaN))).toFixed(2);
  const ratios = (figure: keyof Slice) => bares.map(bare => ratioTo(bare, figure)).join(' | ');
  const rate = `${of('perSecond').toFixed(0)} | ${ratios('perSecond')}`;
  return `${rate} | ${of('p50').toFixed(3)} | ${of('p99').toFixed(2)} | ${of('cpuUs').toFixed(0)} | ${ratios('cpuUs')}`;
}

function firstCallRow(what: string, { listeningMs, unheardMs }: FirstCall, budget: string): string {
  const more = `${(listeningMs - unheardMs).toFixed(2)} ms more`;
  const ratio = (listeningMs / unheardMs).toFixed(2);
  return row(
    `first call of a client that listens, ${what}`,
    `${more} (${ratio} of ${unheardMs.toFixed(2)} ms)`,
    budget,
  );
}

const row = (figure: string, value: string, budget: string) => `| ${figure} | ${value} | ${budget} |`;

/** CPU time that authentication may cost a call, in microseconds; policies that read arguments have no budget. */
const CALL_BUDGETS: readonly (readonly [name: RegExp, us: number])[] = [
  [/^known token, (no|20) policies$/, 25],
  [/^new (RS|ES)256 token/, 400],
  [/^rate limits in memory$/, 3],
  [/^rate limits in Redis$/, 40],
  [/^shared sessions$/, 4],
  [/^traces of 5 %$/, 5],
  [/^audit to a file$/, 10],
];

/** @param bare the same at a bare proxy */
function costRow({ name, connections, slices }: CallCost, baseline: string, bare?: CallCost): string {
  const [more = Number.NaN, without = Number.NaN] = [slices.map(s => s.moreUs), slices.map(s => s.baselineUs)].map(
    median,
  );
  const budget = CALL_BUDGETS.find(([pattern]) => pattern.test(name))?.[1];
  const what = `${name}, ${connections} connection${connections === 1 ? '' : 's'}`;
  const digits = budget !== undefined && budget < 10 ? 1 : 0;
  const bareMore = bare && `; a bare proxy ${median(bare.slices.map(s => s.moreUs)).toFixed(digits)} us more`;
  const value = `${more.toFixed(digits)} us more a call (${baseline} ${without.toFixed(0)} us${bareMore ?? ''})`;
  return row(what, value, budget === undefined ? '' : `${budget} us`);
}

/** A gateway with every feature turned on: its CPU time as a multiple of the anonymous one's. */
function everythingRow({ connections, slices }: CallCost): string {
  const ratio = median(slices.map(({ baselineUs, moreUs }) => (baselineUs + moreUs) / baselineUs));
  const us = median(slices.map(({ baselineUs, moreUs }) => baselineUs + moreUs));
  const what = `everything on, ${connections} connection${connections === 1 ? '' : 's'}`;
  return row(what, `${ratio.toFixed(2)} of the anonymous gateway (${us.toFixed(0)} us a call)`, '2.00');
}

function limitRows({ costs, commandsPerCall }: LimitCosts): string[] {
  const commands =
    commandsPerCall === undefined ? 'not measured: redis-server is not installed' : commandsPerCall.toFixed(3);
  return [...costs.map(cost => costRow(cost, 'without')), row('scripts that Redis runs for a call', commands, '1')];
}

function identityRows(costs: readonly CallCost[], memory: TokenMemory, lists: IdentityLists): string[] {
  const perSecond = (rate: number) => `${rate.toFixed(0)}/s`;
  return [
    ...costs.map(cost => costRow(cost, 'anonymous')),
    row('10,000 live tokens', `${memory.tokensMb.toFixed(0)} MB more`, '60 MB'),
    row('20,000 further tokens', `${memory.furtherMb.toFixed(0)} MB more`, 'none'),
    row(
      '`tools/list` of 950 of 1,000 tools, 20 policies, prepared',
      `${perSecond(lists.perSecond)} (all of them, anonymous ${perSecond(lists.unlimitedPerSecond)})`,
      '',
    ),
    row('the first one of a caller', `${lists.firstMs.toFixed(0)} ms`, ''),
  ];
}

/**
 * Rows about several workers. Where cores are free, compare the processor times: the machine also runs the load generator and the backend, which
 * limits the rates.
 */
function workerRows({ one, workers, gateways }: WorkerCosts): string[] {
  const us = (slices: readonly WorkerSlice[], figure: keyof WorkerSlice) =>
    `${median(slices.map(slice => slice[figure])).toFixed(1)} us`;
  const rate = (slices: readonly WorkerSlice[], beside: readonly WorkerSlice[]) =>
    computeRatio(slices, beside, 'perSecond').toFixed(2);
  return [
    row(
      'two workers: CPU time of a call, of two gateways under the same load',
      `${computeRatio(workers, gateways, 'cpuUs').toFixed(2)} (${us(workers, 'cpuUs')}; one gateway under half of it ${us(one, 'cpuUs')})`,
      '1.11',
    ),
    row('of that in the primary', us(workers, 'startedUs'), ''),
    row(
      'two workers: calls a second',
      `${rate(workers, gateways)} of two gateways, ${rate(workers, one)} of one under half of the load`,
      'with 4 free cores: 1.8 of one',
    ),
    row('load generators and backend meanwhile', `${us(workers, 'othersUs')} a call`, ''),
  ];
}

function workflowRows({ steps, callUs, itemUs, waitingMb }: WorkflowCosts): string[] {
  const us = (value: number) => `${value.toFixed(0)} us`;
  return [
    ...steps.map(({ callers, bareThreeUs, threeCallsUs, threeStepsUs, ratio }) =>
      row(
        `workflow of three steps, of the three calls by a client, ${callers} at a time`,
        `${ratio.toFixed(2)} (${us(threeStepsUs)}; calls ${us(threeCallsUs)}, through a bare proxy ${us(bareThreeUs)})`,
        '1.00',
      ),
    ),
    row(
      '`forEach` of 1,000 items, `maxParallel` 10, beyond 1,000 calls by a client',
      `${us(itemUs - callUs)} more an item (${us(itemUs)}; a call ${us(callUs)})`,
      '40 us',
    ),
    row('1,000 workflows that wait for clients without sessions', `${waitingMb.toFixed(1)} MB more`, '25 MB'),
  ];
}

function optimizerRows({
  keyword,
  hybrid,
  buildMs,
  longestMs,
  megabytes,
  longestOfSearchesMs,
}: OptimizerCosts): string[] {
  const ms = ({ median: half, slowest }: OptimizerCosts['keyword']) =>
    `${half.toFixed(1)} ms, p99 ${slowest.toFixed(1)} ms`;
  return [
    row('search of 10,000 tools by keywords, CPU time', ms(keyword), '4 ms, p99 12 ms'),
    row('the same by both, without the embedding call', ms(hybrid), '12 ms, p99 36 ms'),
    row('index of 10,000 tools: CPU time', `${buildMs.toFixed(0)} ms`, '1,000 ms'),
    row('longest turn of the event loop meanwhile', `${longestMs.toFixed(0)} ms`, '20 ms'),
    row(
      'longest turn while 16 callers search 10,000 tools',
      `by keywords ${longestOfSearchesMs.keyword.toFixed(0)} ms, by both ${longestOfSearchesMs.hybrid.toFixed(0)} ms`,
      '20 ms',
    ),
    row('its memory, with vectors of 384 numbers', `${megabytes.toFixed(0)} MB`, '80 MB'),
  ];
}

/** A row about three replicas. Each request goes to the next replica, and the CPU time of all three is added up. */
function replicaRow({ connections, slices }: ReplicaCost): string {
  type Figure = keyof ReplicaCost['slices'][number];
  const ratio = (of: Figure, to: Figure) => median(slices.map(slice => slice[of] / slice[to])).toFixed(2);
  const us = (figure: Figure) => `${median(slices.map(slice => slice[figure])).toFixed(0)} us`;
  const what = `three replicas: CPU time of a call, of one, ${connections} connection${connections === 1 ? '' : 's'}`;
  const bare = `three bare proxies ${ratio('bareThree', 'bareOne')} of one, ${us('bareThree')} and ${us('bareOne')}`;
  const comparison = `${us('three')}; one ${us('one')}; if each client stays at one of three ${us('apart')}; ${bare}`;
  return row(what, `${ratio('three', 'one')} (${comparison})`, '1.10');
}

/** A row about calls at a replica that does not hold the backend's stream: two more messages between replicas, and one more trip to Redis. */
function lentStreamRow({ connections, slices }: LentStreamCost): string {
  const of = (who: 'holding' | 'joined', figure: 'cpuUs' | 'p50') => median(slices.map(slice => slice[who][figure]));
  const figuresOf = (who: 'holding' | 'joined') =>
    `${of(who, 'cpuUs').toFixed(0)} us, p50 ${of(who, 'p50').toFixed(2)} ms`;
  const ratio = median(slices.map(({ holding, joined }) => joined.cpuUs / holding.cpuUs)).toFixed(2);
  return row(
    `call over an HTTP+SSE stream of another replica, ${connections} connection${connections === 1 ? '' : 's'}`,
    `${ratio} of the CPU time of a call at the replica that has it (${figuresOf('joined')}; there ${figuresOf('holding')})`,
    '',
  );
}

/** A row about the authorization server, compared with oidc-provider alone or with a server that sends a prepared response. */
function signInRow({ name, slices }: Compared, figure: 'cpuUs' | 'perSecond', beside: string, budget: string): string {
  const ratio = median(slices.map(({ gateway, alone }) => gateway[figure] / alone[figure])).toFixed(2);
  const of = (who: 'gateway' | 'alone', what: 'cpuUs' | 'perSecond' | 'p99') =>
    median(slices.map(slice => slice[who][what]));
  const figuresOf = (who: 'gateway' | 'alone') =>
    `${of(who, 'cpuUs').toFixed(0)} us, ${of(who, 'perSecond').toFixed(0)}/s, p99 ${of(who, 'p99').toFixed(1)} ms`;
  return row(
    `${name}, 16 connections`,
    `${ratio} of the ${figure === 'cpuUs' ? 'CPU time' : 'rate'} of ${beside} (${figuresOf('gateway')}; that one ${figuresOf('alone')})`,
    budget,
  );
}

/** A row that compares calls with tokens that the gateway issued and calls with tokens of another issuer. */
function ownTokenRow({ name, connections, slices }: CallCost): string {
  const ratio = median(slices.map(({ baselineUs, moreUs }) => (baselineUs + moreUs) / baselineUs)).toFixed(2);
  const us = median(slices.map(({ baselineUs, moreUs }) => baselineUs + moreUs)).toFixed(0);
  const what = `${name}, ${connections} connection${connections === 1 ? '' : 's'}`;
  return row(what, `${ratio} of the CPU time of a call with a token of another issuer (${us} us)`, '1.00');
}

function unusedRow(what: string, { shipped, without }: UnusedPart): string {
  const pair = (figure: keyof UnusedPart['shipped'], unit: string) =>
    `${shipped[figure].toFixed(0)} ${unit} (${without[figure].toFixed(0)})`;
  return row(
    what,
    `start ${pair('listeningMs', 'ms')}, at rest ${pair('restMb', 'MB')}, a call ${pair('cpuUs', 'us')}`,
    'the same',
  );
}

const folder = await mkdtemp(join(tmpdir(), 'lintel-bench-'));
try {
  const throughput = await measureThroughput({ rounds: isQuick ? 1 : 7, sliceMs: isQuick ? 500 : 800, folder });
  const lists = await measureLists(folder, isQuick ? 1_000 : 3_000);
  const firstListMs = await measureFirstList(folder, SLOW_BACKEND_MS);
  const starts = [];
  const fastFirstLists = [];
  const bareFirstLists = [];
  for (let run = 0; run < (isQuick ? 1 : 5); run++) {
    starts.push(await measureStart(folder));
    fastFirstLists.push(await measureFirstList(folder, 0));
    bareFirstLists.push(await measureBareFirstList());
  }
  const firstCalls = await measureFirstCalls(folder, isQuick ? 50 : 300);
  const sessions = isQuick ? 1_000 : 9_990;
  const memory = await measureMemory(folder, sessions);
  const identity = { rounds: isQuick ? 3 : 9, sliceMs: isQuick ? 300 : 500, folder };
  const callCosts = await measureCallCosts(identity);
  const tokenMemory = await measureTokenMemory(folder);
  const identityLists = await measureIdentityLists(identity);
  const workerCosts = await measureWorkers(identity);
  const workflowCosts = await measureWorkflows({ ...identity, runs: isQuick ? 100 : 250 });
  const optimizerCosts = measureOptimizer();
  const hasRedis = missingPeers(['redis-server']) === undefined;
  const limitCosts = await measureLimitCosts(identity, hasRedis);
  const sharedCosts = hasRedis ? await measureSharedSessions(identity) : [];
  const lentStreamCosts = hasRedis ? await measureLentStreams(identity) : [];
  const replicaCosts = hasRedis ? await measureReplicas(identity) : [];
  const traceCosts = await measureTraces(identity);
  const metricsCost = measureMetrics(identity.rounds);
  const auditCosts = await measureAuditCosts(identity);
  const bareCosts = await measureBareCosts(identity, hasRedis);
  const auditWorkUs = await measureAuditWork(folder, identity.rounds);
  const refreshes = await measureRefreshes(identity, hasRedis);
  const documents = await measureDocuments(identity);
  const ownTokenCosts = await measureOwnTokens(identity);
  const unusedAuthServer = await measureUnusedAuthServer(identity);
  const unusedWorkflows = await measureUnusedWorkflows(identity);
  const fullStoreMb = await measureFullStore();
  const everything = hasRedis ? await measureEverything(identity) : [];
  const text = [
    `Node ${process.version}, ${cpus().length} CPUs, load average at the end ${loadavg()[0]?.toFixed(1)}: far above the number`,
    `of CPUs only ratios mean something; medians of slices that take turns; lintel ${VERSION}.`,
    '',
    ...throughputTable(throughput),
    '',
    '| figure | value | budget |',
    '|---|---|---|',
    row('`tools/list` of 1,000 tools, prepared', `${lists.perSecond.toFixed(0)}/s`, '3,000/s'),
    row(
      `first list, 50 backends that take ${SLOW_BACKEND_MS} ms for each answer`,
      `${firstListMs.toFixed(0)} ms`,
      'the slowest backend',
    ),
    row(
      'first list, 50 fast backends in one process, from spawning the gateway',
      `${median(fastFirstLists).toFixed(0)} ms (a process that does no more than it must ${median(bareFirstLists).toFixed(0)} ms)`,
      '200 ms',
    ),
    row('start to listening, 50 backends', `${median(starts.map(s => s.listeningMs)).toFixed(0)} ms`, '130 ms'),
    row('start to first answered call', `${median(starts.map(s => s.firstCallMs)).toFixed(0)} ms`, '250 ms'),
    firstCallRow('backend without a standing stream', firstCalls.withoutStream, '5 ms more'),
    firstCallRow('backend with a standing stream', firstCalls.withStream, ''),
    row('resting memory, 2 backends', `${memory.restMb.toFixed(0)} MB (bare ${memory.bareMb.toFixed(0)} MB)`, '70 MB'),
    row('resting memory, 50 backends with 1,000 tools', `${lists.restMb.toFixed(0)} MB`, ''),
    row(`${sessions} idle sessions`, `${memory.sessionsMb.toFixed(0)} MB more`, '150 MB'),
    ...FRAMINGS.map(framing => {
      const { mb, bareMb } = memory.big[framing];
      return row(`50 MB answer, ${framing}`, `${mb.toFixed(0)} MB more (bare proxy ${bareMb.toFixed(0)} MB)`, '20 MB');
    }),
    ...identityRows(callCosts, tokenMemory, identityLists),
    ...limitRows(limitCosts),
    ...workerRows(workerCosts),
    ...workflowRows(workflowCosts),
    ...optimizerRows(optimizerCosts),
    ...sharedCosts.map(({ gateway, bare }) => costRow(gateway, 'in memory', bare)),
    ...replicaCosts.map(replicaRow),
    ...lentStreamCosts.map(lentStreamRow),
    ...traceCosts.map(cost => costRow(cost, 'without')),
    row(
      'metrics, which all gateways have',
      `${metricsCost.us.toFixed(1)} us a call (a few lines with the OpenTelemetry SDK ${metricsCost.bareUs.toFixed(1)} us)`,
      '3 us',
    ),
    ...auditCosts.map(cost => costRow(cost, 'without')),
    ...bareCosts.map(cost => costRow(cost, 'bare')),
    row('audit to a file, what is done for it', `${auditWorkUs.toFixed(1)} us a call`, ''),
    ...everything.map(everythingRow),
    ...refreshes.map(refresh => signInRow(refresh, 'cpuUs', 'oidc-provider alone', '1.30')),
    ...documents.map(document => signInRow(document, 'perSecond', 'a prepared answer', '1.00')),
    ...ownTokenCosts.map(ownTokenRow),
    unusedRow('gateway without `authServerConfig` (the same without the file of the room)', unusedAuthServer),
    unusedRow('gateway without workflows and optimizer (the same without their modules)', unusedWorkflows),
    row('10,000 clients and 50,000 sign-ins in memory', `${fullStoreMb.toFixed(0)} MB more`, '150 MB'),
    '',
  ].join('\n');
  process.stdout.write(text);
  if (values.write === true) {
    const title = '<!-- generated by npm run bench:gateway -- --write; do not edit -->\n\n# Last result\n\n';
    await writeFile(join(import.meta.dirname, 'gateway-results.md'), title + text);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
