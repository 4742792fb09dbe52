/** Merges the contents of `/status` of a gateway's workers. */
import type { BackendStatus } from '../gateway/backends/health/backend-health.ts';
import type { StatusPage } from '../observe/status.ts';
import { entries, every, first, firstNotNull, type Merge, members, some, sum, unlessNull } from './merge.ts';

export interface WorkerEntry {
  /** The worker's number, from 1; a worker that replaces another has the same number. */
  readonly worker: number;
  readonly pid: number;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Whether the worker has probed every backend at least once. */
  readonly ready: boolean;
  /** Sessions that this worker has served and that have not ended; other workers may have served them too. */
  readonly sessions: number;
}

export interface TreeStatusPage extends StatusPage {
  readonly workers: readonly WorkerEntry[];
  /** Number of workers that were replaced since the start. */
  readonly replacedWorkers: number;
}

type Backend = StatusPage['backends'][number];
type Limits = NonNullable<StatusPage['rateLimiting']>;

/** The states of a backend, from healthy to unavailable. */
const WORST_LAST: readonly BackendStatus[] = ['ready', 'degraded', 'unknown', 'unauthenticated', 'unavailable'];

/** Shows a backend as the worker that reports its worst state; if several workers do, the one with the latest probe. */
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

/** Shows an identity provider with an error if any worker reports one. */
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

/** Adds up counts over the workers; a key that a worker lacks counts as 0. */
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

/** The merged status. All workers read the same lists from backends; while they differ, the first worker's are shown. */
export const mergeStatus: Merge<StatusPage> = members<StatusPage>({
  gateway: first,
  version: first,
  bundle: first,
  options: first,
  partialFailure: first,
  healthy: every,
  backends: entries(({ name }) => name, backend),
  counts: first,
  // The sum counts a session once for each worker that has served it. The primary sets the correct number later.
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
