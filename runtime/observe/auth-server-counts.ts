/** Counts the outcomes of requests to the authorization server. The counts continue when a new bundle replaces the server. */
import { METRIC_PREFIX } from '#schemas';
import type { AuthServerObserver } from '../authserver/host.ts';
import type { AuthServerStatus } from '../authserver/open.ts';
import { Histogram } from './metrics/histogram.ts';
import type { Labels, Metric, Sample } from './metrics/metric.ts';

const PREFIX = `${METRIC_PREFIX}auth_server_`;

/** Bounds for the duration of a store's operations, in seconds: memory takes microseconds, Redis a millisecond. */
const STORAGE_BOUNDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

/** Counts by two names: an operation, and its outcome. */
export type CountsByName = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** The entry of an authorization server in `/status`. */
export interface AuthServerEntry extends AuthServerStatus {
  readonly registrations: Readonly<Record<string, number>>;
  /** Number of sign-ins at upstreams, by upstream and outcome. */
  readonly signIns: CountsByName;
  /** Requests of the token endpoint, by grant type and outcome: `issued`, or an error code of OAuth. */
  readonly tokenRequests: CountsByName;
  /** Renewals of tokens of upstreams, by upstream and outcome. */
  readonly upstreamRefreshes: CountsByName;
  /** Operations of the storage that have failed. */
  readonly storageErrors: number;
}

export class AuthServerCounts implements AuthServerObserver {
  readonly #registrations = new Map<string, number>();
  readonly #signIns = new Map<string, Map<string, number>>();
  readonly #tokenRequests = new Map<string, Map<string, number>>();
  readonly #upstreamRefreshes = new Map<string, Map<string, number>>();
  readonly #storageSeconds = new Map<string, Histogram>();
  readonly #storageErrors = new Map<string, number>();

  registration(outcome: string): void {
    increase(this.#registrations, outcome);
  }

  signIn(upstream: string, outcome: string): void {
    increase(getInner(this.#signIns, upstream), outcome);
  }

  tokenRequest(grantType: string, outcome: string): void {
    increase(getInner(this.#tokenRequests, grantType), outcome);
  }

  upstreamRefresh(upstream: string, outcome: string): void {
    increase(getInner(this.#upstreamRefreshes, upstream), outcome);
  }

  storage(operation: string, seconds: number, hasFailed: boolean): void {
    let histogram = this.#storageSeconds.get(operation);
    if (histogram === undefined) {
      histogram = new Histogram(STORAGE_BOUNDS);
      this.#storageSeconds.set(operation, histogram);
    }
    histogram.observe(seconds);
    if (hasFailed) increase(this.#storageErrors, operation);
  }

  /** @param status of the current server; undefined when the bundle has none */
  entry(status: AuthServerStatus | undefined): AuthServerEntry | undefined {
    if (status === undefined) return undefined;
    return {
      ...status,
      registrations: { registered: 0, refused: 0, limited: 0, ...Object.fromEntries(this.#registrations) },
      signIns: toCountsByName(this.#signIns),
      tokenRequests: toCountsByName(this.#tokenRequests),
      upstreamRefreshes: toCountsByName(this.#upstreamRefreshes),
      storageErrors: [...this.#storageErrors.values()].reduce((sum, count) => sum + count, 0),
    };
  }

  /** The metrics of the authorization server; without samples if the process never had one. */
  metrics(status: AuthServerStatus | undefined): readonly Metric[] {
    const ephemeral = status?.isEphemeral;
    return [
      createCounter('registrations', 'Registrations of clients, by outcome.', listSamples(this.#registrations)),
      createCounter(
        'sign_ins',
        'Sign-ins of people at upstreams, by outcome.',
        listSamplesByName(this.#signIns, 'upstream'),
      ),
      createCounter(
        'token_requests',
        'Requests of the token endpoint: tokens that were issued, and errors by their code.',
        listSamplesByName(this.#tokenRequests, 'grant_type'),
      ),
      createCounter(
        'upstream_refreshes',
        'Renewals of tokens of upstreams, by outcome.',
        listSamplesByName(this.#upstreamRefreshes, 'upstream'),
      ),
      {
        name: `${PREFIX}storage_operation_duration`,
        unit: 's',
        type: 'histogram',
        help: 'Time that an operation of the storage took.',
        samples: [...this.#storageSeconds].map(([operation, histogram]) => histogram.sample({ operation })),
      },
      createCounter(
        'storage_errors',
        'Operations of the storage that have failed.',
        [...this.#storageErrors].map(([operation, value]) => ({ labels: { operation }, value })),
      ),
      {
        name: `${PREFIX}ephemeral_keys`,
        type: 'gauge',
        help: 'Whether the process uses temporary keys or secrets, so that its tokens become invalid when it ends: 1 or 0.',
        samples:
          ephemeral === undefined
            ? []
            : [
                { labels: { kind: 'signing_key' }, value: Number(ephemeral.signingKeys) },
                { labels: { kind: 'hmac_secret' }, value: Number(ephemeral.hmacSecrets) },
              ],
      },
    ];
  }
}

function createCounter(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name: `${PREFIX}${name}`, type: 'counter', help, samples };
}

function listSamples(counts: ReadonlyMap<string, number>, labels: Labels = {}): readonly Sample[] {
  return [...counts].map(([outcome, value]) => ({ labels: { ...labels, outcome }, value }));
}

function listSamplesByName(counts: ReadonlyMap<string, ReadonlyMap<string, number>>, label: string): readonly Sample[] {
  return [...counts].flatMap(([name, outcomes]) => listSamples(outcomes, { [label]: name }));
}

function getInner(counts: Map<string, Map<string, number>>, name: string): Map<string, number> {
  let outcomes = counts.get(name);
  if (outcomes === undefined) {
    outcomes = new Map();
    counts.set(name, outcomes);
  }
  return outcomes;
}

function increase(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function toCountsByName(counts: ReadonlyMap<string, ReadonlyMap<string, number>>): CountsByName {
  return Object.fromEntries([...counts].map(([name, outcomes]) => [name, Object.fromEntries(outcomes)]));
}
