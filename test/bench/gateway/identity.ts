/** Measures what authentication and policies cost, compared with a gateway for anonymous callers. */
import { authorization, type CallCost, type CostOptions, measureCost, sessionHeads, type Target } from './call-cost.ts';
import { differingCall, listTools, sessionCall, statelessCall, statelessHead } from './calls.ts';
import { firstList } from './lists.ts';
import { type CallJob, Load } from './load.ts';
import { median } from './median.ts';
import { ARGUMENT_POLICIES, PLAIN_POLICIES } from './policies.ts';
import {
  COLLECTS_GARBAGE,
  collectGarbage,
  manyBackends,
  memoryMb,
  type Server,
  startBackend,
  startGateway,
} from './processes.ts';
import { CONNECTIONS } from './throughput.ts';
import { ALGORITHMS, startTokenIssuer, type TokenIssuer } from './token-issuer.ts';

const NAMES = new Map([['json', 'json/mcp']]);
const TOOL = 'json_tool_0';
const SUBJECT = 'somebody';
const MAX_CONNECTIONS = Math.max(...CONNECTIONS);

/** The number of tokens that the gateway caches. */
const LIVE_TOKENS = 10_000;

/** Most tokens that one slice may use; on a faster machine the slice ends earlier. */
const TOKENS_OF_A_SLICE = 1_500;

/** Measures calls with cached tokens, and calls that each have a new token. */
export async function measureCallCosts(options: CostOptions): Promise<readonly CallCost[]> {
  const { folder } = options;
  await using issuer = await startTokenIssuer();
  await using backend = await startBackend();
  const incomingAuth = issuer.plan;
  await using anonymous = await startGateway(folder, backend, NAMES);
  await using authenticated = await startGateway(folder, backend, NAMES, { policy: { incomingAuth } });
  await using plain = await startGateway(folder, backend, NAMES, {
    policy: { incomingAuth, authorization: PLAIN_POLICIES },
  });
  await using looking = await startGateway(folder, backend, NAMES, {
    policy: { incomingAuth, authorization: ARGUMENT_POLICIES },
  });
  const baseline: Target = {
    name: 'anonymous',
    gateway: anonymous,
    job: { url: anonymous.url, heads: await sessionHeads(anonymous.url), body: sessionCall(TOOL) },
  };
  const targets: Target[] = [
    await knownToken('known token, no policies', authenticated, issuer),
    await knownToken('known token, 20 policies', plain, issuer),
    await knownToken('known token, 20 policies that look at arguments', looking, issuer),
    await knownToken('known token, 20 policies that look at new arguments', looking, issuer, differingCall(TOOL)),
    ...(await Promise.all(
      ALGORITHMS.map(async (algorithm): Promise<Target> => {
        const { name, gateway, job } = await knownToken(`new ${algorithm} token, 20 policies`, plain, issuer);
        const heads = job.heads.map(withoutToken);
        return { name, gateway, job: { ...job, heads, tokens: issuer.order(algorithm, TOKENS_OF_A_SLICE, SUBJECT) } };
      }),
    )),
    // A session belongs to one caller, so callers with a single call are stateless.
    ...ALGORITHMS.map(
      (algorithm): Target => ({
        name: `new caller with a new ${algorithm} token, 20 policies, and a session at the backend`,
        gateway: plain,
        job: {
          url: plain.url,
          heads: [statelessHead(TOOL)],
          body: statelessCall(TOOL),
          tokens: issuer.order(algorithm, TOKENS_OF_A_SLICE),
        },
      }),
    ),
  ];
  return await measureCost(baseline, targets, options);
}

export interface TokenMemory {
  /** Megabytes for 10,000 distinct live tokens. */
  readonly tokensMb: number;
  /** The additional megabytes after 20,000 further tokens. */
  readonly furtherMb: number;
}

/** Measures resident memory after a garbage collection. Each token belongs to another caller, who makes one call. */
export async function measureTokenMemory(folder: string): Promise<TokenMemory> {
  await using issuer = await startTokenIssuer();
  await using backend = await startBackend();
  const policy = { incomingAuth: issuer.plan, authorization: PLAIN_POLICIES };
  await using gateway = await startGateway(folder, backend, NAMES, { policy, nodeOptions: COLLECTS_GARBAGE });
  using load = new Load();
  const body = statelessCall(TOOL);
  const head = statelessHead(TOOL);
  const known = authorization(await issuer.token(SUBJECT));
  const calls = { url: gateway.url, body, connections: MAX_CONNECTIONS };
  const newTokens = (count: number): CallJob => ({
    ...calls,
    heads: [head],
    ms: Number.MAX_SAFE_INTEGER,
    tokens: issuer.order('ES256', count),
  });
  const settledMb = async (): Promise<number> => {
    await collectGarbage(gateway);
    return (await memoryMb(gateway.pid)).now;
  };
  // Warm-up, so that the cost of load as such is not counted.
  await load.run({ ...calls, heads: [head + known], ms: 3_000 }, gateway.pid);
  const before = await settledMb();
  await load.run(newTokens(LIVE_TOKENS), gateway.pid);
  const full = await settledMb();
  await load.run(newTokens(2 * LIVE_TOKENS), gateway.pid);
  return { tokensMb: full - before, furtherMb: (await settledMb()) - full };
}

export interface IdentityLists {
  readonly unlimitedPerSecond: number;
  readonly perSecond: number;
  /** Milliseconds of the first list of a caller. */
  readonly firstMs: number;
}

/** Measures `tools/list` of a gateway with 1,000 tools, of which policies show each caller 50. */
export async function measureIdentityLists({ rounds, sliceMs, folder }: CostOptions): Promise<IdentityLists> {
  await using issuer = await startTokenIssuer();
  await using backend = await startBackend();
  const backends = manyBackends(50);
  await using unlimited = await startGateway(folder, backend, backends);
  const policy = { incomingAuth: issuer.plan, authorization: PLAIN_POLICIES };
  await using limited = await startGateway(folder, backend, backends, { policy });
  const token = await issuer.token(SUBJECT);
  await firstList(unlimited.url, 1_000);
  await firstList(limited.url, 950, await issuer.token('somebody else'));
  const begin = performance.now();
  await firstList(limited.url, 950, token);
  const firstMs = performance.now() - begin;
  const jobs = [
    { pid: unlimited.pid, url: unlimited.url, heads: await sessionHeads(unlimited.url) },
    { pid: limited.pid, url: limited.url, heads: await sessionHeads(limited.url, token) },
  ];
  using load = new Load();
  const rates: number[][] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { pid, url, heads }] of jobs.entries()) {
      const job = { url, heads, body: listTools(), connections: MAX_CONNECTIONS, ms: sliceMs };
      const { perSecond } = await load.run(job, pid);
      if (round > 0) rates[index]?.push(perSecond);
    }
  }
  const [unlimitedPerSecond = Number.NaN, perSecond = Number.NaN] = rates.map(median);
  return { unlimitedPerSecond, perSecond, firstMs };
}

async function knownToken(
  name: string,
  gateway: Server,
  issuer: TokenIssuer,
  body: string = sessionCall(TOOL),
): Promise<Target> {
  const heads = await sessionHeads(gateway.url, await issuer.token(SUBJECT));
  return { name, gateway, job: { url: gateway.url, heads, body } };
}

const withoutToken = (head: string): string => head.slice(0, head.indexOf('Authorization:'));
