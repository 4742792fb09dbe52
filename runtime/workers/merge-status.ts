/** The page of `/status` of a gateway that several workers serve. */
import type { BackendStatus } from '../gateway/backends/health/backend-health.ts';
import type { StatusPage } from '../observe/status.ts';
import { entries, every, first, firstNotNull, type Merge, members, some, sum, unlessNull } from './merge.ts';

export interface WorkerEntry {
  /** From 1 on; one that takes the place of another has its number. */
  readonly worker: number;
  readonly pid: number;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Its backends were all tried. */
  readonly ready: boolean;
  /** Sessions that it has served and that have not ended; others may have served them as well. */
  readonly sessions: number;
}

export interface TreeStatusPage extends StatusPage {
  readonly workers: readonly WorkerEntry[];
  /** Workers that had to be replaced since the start. */
  readonly replacedWorkers: number;
}

type Backend = StatusPage['backends'][number];
type Limits = NonNullable<StatusPage['rateLimiting']>;

/** From well to not at all. */
const WORST_LAST: readonly BackendStatus[] = ['ready', 'degraded', 'unknown', 'unauthenticated', 'unavailable'];

/** A backend is as the worker sees it that sees it worst; of those, the one that looked last. */
const backend: Merge<Backend> = views => ({
  ...views.reduce((worst, view) => {
    const by = WORST_LAST.indexOf(view.status) - WORST_LAST.indexOf(worst.status);
    return by > 0 || (by === 0 && (view.lastHealthCheck ?? '') > (worst.lastHealthCheck ?? '')) ? view : worst;
  }),
  calls: calls(views.map(view => view.calls)),
});

const calls: Merge<Backend['calls']> = members<Backend['calls']>({
  open: sum,
  running: sum,
  waiting: sum,
  parked: sum,
  largeTexts: sum,
  sent: sum,
  refused: sum,
  ceilings: members<Backend['calls']['ceilings']>({
    open: sum,
    openOfSession: first,
    running: sum,
    parked: sum,
    largeTexts: sum,
  }),
});

/** What is wrong at one worker is shown. */
const provider: Merge<StatusPage['authentication']['providers'][number]> = views =>
  views.find(({ message }) => message !== '') ?? first(views);

const limits: Merge<Limits> = members<Limits>({
  store: first,
  limits: entries(
    ({ scope, tool }) => `${scope} ${tool}`,
    members<Limits['limits'][number]>({
      scope: first,
      tool: first,
      maxTokens: first,
      refillPeriodMs: first,
      rejected: sum,
    }),
  ),
  allowed: sum,
  rejected: sum,
  failOpen: members<Limits['failOpen']>({ active: some, calls: sum, reason: firstNotNull }),
  // The primary has them.
  buckets: first,
});

const audit: Merge<StatusPage['audit']> = all => {
  const there = all.filter(one => one !== undefined);
  return there.length === 0 ? undefined : records(there);
};

const records: Merge<NonNullable<StatusPage['audit']>> = members<NonNullable<StatusPage['audit']>>({
  file: first,
  written: sum,
  dropped: sum,
  writeErrors: sum,
  waiting: sum,
  lastError: firstNotNull,
  chainHead: first,
});

type AuthServer = NonNullable<StatusPage['authServer']>;

/** Sums of what each has counted; a word that one lacks it has counted never. */
const counts: Merge<Readonly<Record<string, number>>> = all => {
  const names = new Set(all.flatMap(one => Object.keys(one)));
  return Object.fromEntries([...names].map(name => [name, sum(all.map(one => one[name] ?? 0))]));
};

const countsByName: Merge<AuthServer['signIns']> = all => {
  const names = new Set(all.flatMap(one => Object.keys(one)));
  return Object.fromEntries([...names].map(name => [name, counts(all.map(one => one[name] ?? {}))]));
};

const authServer: Merge<StatusPage['authServer']> = all => {
  const there = all.filter(one => one !== undefined);
  return there.length === 0 ? undefined : authServerEntry(there);
};

const authServerEntry: Merge<AuthServer> = members<AuthServer>({
  issuer: first,
  signingKey: first,
  keys: first,
  isEphemeral: first,
  storage: first,
  storageProblem: firstNotNull,
  registrations: counts,
  signIns: countsByName,
  tokenRequests: countsByName,
  upstreamRefreshes: countsByName,
  storageErrors: sum,
});

type Workflow = NonNullable<StatusPage['workflows']>[number];

const workflows = entries<Workflow>(
  ({ name }) => name,
  members<Workflow>({ name: first, listed: first, running: sum, asking: sum, waiting: sum }),
);

type Optimizer = NonNullable<StatusPage['optimizer']>;

const optimizer: Merge<Optimizer> = members<Optimizer>({
  indexed: first,
  search: views => views.find(search => search === 'keyword') ?? first(views),
  // The primary embeds, and knows better.
  embeddings: first,
});

/** Lists are read by each worker and end up the same; while they are read, the first worker speaks for all. */
export const mergeStatus: Merge<StatusPage> = members<StatusPage>({
  gateway: first,
  version: first,
  bundle: first,
  partialFailure: first,
  healthy: every,
  backends: entries(({ name }) => name, backend),
  counts: first,
  // A session may have been served by several; the primary knows better where it keeps them.
  sessions: sum,
  sessionStorage: members<StatusPage['sessionStorage']>({ provider: first, ready: every, problem: firstNotNull }),
  audit,
  streams: members<StatusPage['streams']>({ unreadBytes: sum, keptBytes: sum, brokenStreams: sum }),
  authentication: members<StatusPage['authentication']>({
    type: first,
    providers: entries(({ name }) => name, provider),
  }),
  authServer,
  authorization: members<StatusPage['authorization']>({ engine: first, policyCount: first, errorCount: sum }),
  workflows: all => (all.some(one => one === undefined) ? undefined : workflows(all.map(one => one ?? []))),
  optimizer: all => {
    const there = all.filter(one => one !== undefined);
    return there.length === 0 ? undefined : optimizer(there);
  },
  rateLimiting: unlessNull(limits),
  withheld: first,
  moreWithheld: first,
  idle: first,
});
