/** The page of `/status` of a gateway that several workers serve. */
import type { BackendStatus } from '../gateway/backends/health/backend-health.ts';
import type { StatusPage } from '../observe/status.ts';
import { entries, every, first, firstNotNull, type Merge, members, some, sum, unlessNull } from './merge.ts';

export interface WorkerEntry {
  /** From 1; a replacement has the number of the worker that it replaces. */
  readonly worker: number;
  readonly pid: number;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Every backend was probed at least once. */
  readonly ready: boolean;
  /** Sessions that this worker has served and that have not ended; other workers may have served them too. */
  readonly sessions: number;
}

export interface TreeStatusPage extends StatusPage {
  readonly workers: readonly WorkerEntry[];
  /** Workers that were replaced since the start. */
  readonly replacedWorkers: number;
}

type Backend = StatusPage['backends'][number];
type Limits = NonNullable<StatusPage['rateLimiting']>;

/** From healthy to unavailable. */
const WORST_LAST: readonly BackendStatus[] = ['ready', 'degraded', 'unknown', 'unauthenticated', 'unavailable'];

/** For each backend, the state at the worker that reports the worst; of several, the latest probe. */
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

/** An error at any worker is shown. */
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
  // The primary holds the buckets.
  buckets: first,
});

const audit: Merge<StatusPage['audit']> = all => {
  const present = all.filter(auditStatus => auditStatus !== undefined);
  return present.length === 0 ? undefined : records(present);
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

/** Sums over the workers; a key that a worker lacks counts as 0. */
const counts: Merge<Readonly<Record<string, number>>> = all => {
  const names = new Set(all.flatMap(entry => Object.keys(entry)));
  return Object.fromEntries([...names].map(name => [name, sum(all.map(entry => entry[name] ?? 0))]));
};

const countsByName: Merge<AuthServer['signIns']> = all => {
  const names = new Set(all.flatMap(entry => Object.keys(entry)));
  return Object.fromEntries([...names].map(name => [name, counts(all.map(entry => entry[name] ?? {}))]));
};

const authServer: Merge<StatusPage['authServer']> = all => {
  const present = all.filter(entry => entry !== undefined);
  return present.length === 0 ? undefined : authServerEntry(present);
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
  // The primary embeds, so its own state is shown.
  embeddings: first,
});

/** Every worker reads the lists and ends with the same ones; until then the first worker's are shown. */
export const mergeStatus: Merge<StatusPage> = members<StatusPage>({
  gateway: first,
  version: first,
  bundle: first,
  partialFailure: first,
  healthy: every,
  backends: entries(({ name }) => name, backend),
  counts: first,
  // Several workers may have served one session. Where the primary stores sessions, it knows the number.
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
  workflows: all => (all.some(value => value === undefined) ? undefined : workflows(all.map(value => value ?? []))),
  optimizer: all => {
    const present = all.filter(value => value !== undefined);
    return present.length === 0 ? undefined : optimizer(present);
  },
  rateLimiting: unlessNull(limits),
  withheld: first,
  moreWithheld: first,
  idle: first,
});
