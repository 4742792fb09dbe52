/** Counts and measures the requests of clients, for all metrics about requests. */
import { Histogram, type TraceOfValue } from '../metrics/histogram.ts';
import { LabelValues, OTHER } from '../metrics/label-values.ts';

/** The methods of all MCP revisions. Other methods are counted together, because clients may invent any name. */
const METHODS: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'server/discover',
  'subscriptions/listen',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'completion/complete',
  'logging/setLevel',
  'tasks/list',
  'tasks/get',
  'tasks/result',
  'tasks/update',
  'tasks/cancel',
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/roots/list_changed',
  'notifications/tasks/status',
]);

/** The semantic conventions' name for other methods. */
const OTHER_METHOD = '_OTHER';

/** Maximum number of series; each series has one histogram for each of its outcomes. */
const MAX_SERIES = 2_000;

/** Limit on types of errors: backends choose their error codes. */
const MAX_ERROR_TYPES = 50;

/** The transport between clients and the gateway. */
export type ClientTransport = 'streamable-http' | 'sse';

/** The kind of a request's target. */
export type NamedKind = 'tool' | 'prompt' | 'resource';

/** The labels that all requests of one series have in common. A label is empty if the requests have no such value, or if it is not exported. */
export interface RequestTraits {
  readonly method: string;
  readonly transport: ClientTransport;
  /** The MCP revision. */
  readonly revision: string;
  readonly backend: string;
  /** The client's name of a tool or prompt. */
  readonly name: string;
  readonly kind: NamedKind | '';
  /** Whether this is the call of a workflow's step, which the client did not send itself. */
  readonly isStep: boolean;
}

/** The requests of one series that had the same outcome. */
export interface RequestOutcome {
  /** Empty after a success. */
  readonly errorType: string;
  readonly total: Histogram;
  /** The time since the request was sent to its backend; undefined for series without a backend. */
  readonly atBackend: Histogram | undefined;
}

export class RequestSeries {
  readonly traits: RequestTraits;
  private readonly _outcomes = new Map<string, RequestOutcome>();
  /** The outcome without an error, which most requests have; kept outside of the map for speed. */
  private _success: RequestOutcome | undefined;

  constructor(traits: RequestTraits) {
    this.traits = traits;
  }

  get outcomes(): Iterable<RequestOutcome> {
    return this._outcomes.values();
  }

  outcome(errorType: string): RequestOutcome {
    if (errorType === '' && this._success !== undefined) return this._success;
    let outcome = this._outcomes.get(errorType);
    if (outcome === undefined) {
      const atBackend = this.traits.backend === '' ? undefined : new Histogram();
      outcome = { errorType, total: new Histogram(), atBackend };
      this._outcomes.set(errorType, outcome);
      if (errorType === '') this._success = outcome;
    }
    return outcome;
  }
}

export class RequestCounts {
  readonly #series = new Map<string, RequestSeries>();
  readonly #labels = {
    tool: new LabelValues(),
    prompt: new LabelValues(),
    backend: new LabelValues(),
    error_type: new LabelValues(MAX_ERROR_TYPES),
  };
  readonly #maxSeries: number;
  #seriesOverflows = 0;

  constructor(maxSeries: number = MAX_SERIES) {
    this.#maxSeries = maxSeries;
  }

  /** The series, in the order in which they first occurred. */
  get series(): Iterable<RequestSeries> {
    return this.#series.values();
  }

  /** How often a value was replaced because of a limit, by label; `series` stands for all labels together. */
  get overflows(): ReadonlyMap<string, number> {
    const ofLabels = Object.entries(this.#labels).map(([label, values]) => [label, values.overflows] as const);
    return new Map([...ofLabels, ['series', this.#seriesOverflows]]);
  }

  /**
   * Records a request that has ended.
   *
   * @param errorType empty after a success
   * @param seconds the durations since the request arrived, and since it was sent to its backend
   */
  add(
    traits: RequestTraits,
    errorType: string,
    seconds: { readonly total: number; readonly atBackend: number | undefined },
    trace?: TraceOfValue,
  ): void {
    const type = errorType === '' ? '' : this.#labels.error_type.limit(errorType);
    const { total, atBackend } = this.#getSeries(traits).outcome(type);
    total.observe(seconds.total, trace);
    if (seconds.atBackend !== undefined) atBackend?.observe(seconds.atBackend, trace);
  }

  #getSeries(traits: RequestTraits): RequestSeries {
    const { method, transport, revision, backend, kind, name, isStep } = traits;
    const key = `${method} ${transport} ${revision} ${backend} ${kind} ${isStep} ${name}`;
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    return this.#limited(traits);
  }

  #limited(traits: RequestTraits): RequestSeries {
    const { method, transport, revision, kind, isStep } = traits;
    const isFull = this.#series.size >= this.#maxSeries;
    if (isFull) this.#seriesOverflows++;
    const { tool, prompt, backend: backends } = this.#labels;
    const values = kind === 'tool' ? tool : prompt;
    const limited: RequestTraits = {
      method: METHODS.has(method) ? method : OTHER_METHOD,
      transport,
      revision,
      backend: limitValue(traits.backend, isFull, backends),
      kind,
      name: limitValue(traits.name, isFull, values),
      isStep,
    };
    const key = `${limited.method} ${transport} ${revision} ${limited.backend} ${kind} ${isStep} ${limited.name}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      series = new RequestSeries(limited);
      this.#series.set(key, series);
    }
    return series;
  }
}

function limitValue(value: string, isFull: boolean, values: LabelValues): string {
  if (value === '') return '';
  return isFull ? OTHER : values.limit(value);
}
