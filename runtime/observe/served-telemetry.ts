/** Applies the telemetry settings of each bundle: the collector, and the pages with metrics outside of the internal address. */
import { formatCanonicalJson, type TelemetryPlan } from '#schemas';
import { SecretError } from '../auth/secrets.ts';
import { BundleError } from '../bundle/bundle-error.ts';
import type { LoadedBundle, LoadedRegistry } from '../bundle/load.ts';
import { TrustError } from '../http/authority-file.ts';
import { listen } from '../http/listen.ts';
import type { Listener, Route } from '../http/listener.ts';
import type { Logger } from './log.ts';
import type { Metric } from './metrics/metric.ts';
import type { OtlpTelemetry, ReportedServer } from './otlp/otlp-telemetry.ts';
import { listSentMetrics, type SentItems } from './otlp/sent-metrics.ts';
import type { SpanSource } from './otlp/span-source.ts';

export const METRICS_PATH = '/metrics';

export interface TelemetryOptions {
  readonly server: ReportedServer;
  readonly page: Route;
  /** The host for a separate listener for metrics, if a bundle configures one; undefined if several processes would have to listen on it. */
  readonly host: string | undefined;
  readonly log: Logger;
  /** Called when other settings take effect. */
  onUse(plan: TelemetryPlan | undefined, spans: SpanSource | undefined): void;
}

/** Telemetry that is ready to be used. The caller must call exactly one of the two methods. */
export interface PreparedTelemetry {
  use(): void;
  discard(): Promise<void>;
}

interface ActiveTelemetry {
  readonly plan: TelemetryPlan | undefined;
  readonly otlp: OtlpTelemetry | undefined;
  readonly listener: Listener | undefined;
}

const NOTHING: ActiveTelemetry = { plan: undefined, otlp: undefined, listener: undefined };

/** The telemetry that the bundle requires cannot be set up. */
class TelemetryError extends Error {}

export class ServedTelemetry {
  readonly #options: TelemetryOptions;
  #active: ActiveTelemetry = NOTHING;

  constructor(options: TelemetryOptions) {
    this.#options = options;
  }

  /** The page with metrics on the address for clients; undefined if the bundle does not enable it. */
  get mainPage(): Route | undefined {
    return this.#active.plan?.metricsOnMainPort === true ? this.#options.page : undefined;
  }

  /**
   * The metrics about all items that were sent to collectors.
   * @param others items that are sent to another collector than the bundle's, such as audit records
   */
  metrics(others: readonly SentItems[] = []): readonly Metric[] {
    return listSentMetrics([...(this.#active.otlp?.items ?? []), ...others]);
  }

  /** @throws BundleError for a secret or an authority that is missing, and for a port that cannot be bound */
  async prepare({ bundle, file }: LoadedBundle | LoadedRegistry): Promise<PreparedTelemetry> {
    try {
      return await this.#prepare(bundle.telemetry);
    } catch (error) {
      throw error instanceof TelemetryError ? new BundleError(file, `telemetry: ${error.message}`) : error;
    }
  }

  async #prepare(plan: TelemetryPlan | undefined): Promise<PreparedTelemetry> {
    const before = this.#active;
    if (formatCanonicalJson(plan ?? null) === formatCanonicalJson(before.plan ?? null)) {
      return { use: () => {}, discard: async () => {} };
    }
    const isSamePort = (plan?.metricsPort ?? null) === (before.plan?.metricsPort ?? null);
    const listener = isSamePort ? before.listener : await this.#listen(plan);
    const otlp = await this.#open(plan).catch(async error => {
      if (!isSamePort) await listener?.close(0);
      throw error;
    });
    return {
      use: () => {
        this.#active = { plan, otlp, listener };
        this.#options.onUse(plan, otlp?.spanSource);
        void before.otlp?.close();
        if (before.listener !== listener) void before.listener?.close(0);
      },
      discard: async () => {
        if (!isSamePort) await listener?.close(0);
        await otlp?.close();
      },
    };
  }

  async close(): Promise<void> {
    const { otlp, listener } = this.#active;
    this.#active = NOTHING;
    await Promise.all([otlp?.close(), listener?.close(0)]);
  }

  async #open(plan: TelemetryPlan | undefined): Promise<OtlpTelemetry | undefined> {
    if (plan === undefined || plan.otlp === null) return undefined;
    const { otlp } = plan;
    const { OtlpTelemetry: Telemetry } = await import('./otlp/otlp-telemetry.ts');
    try {
      return await Telemetry.open({ ...plan, otlp }, this.#options.server, this.#options.log);
    } catch (error) {
      if (error instanceof SecretError || error instanceof TrustError) throw new TelemetryError(error.message);
      throw error;
    }
  }

  async #listen(plan: TelemetryPlan | undefined): Promise<Listener | undefined> {
    if (plan === undefined || plan.metricsPort === null) return undefined;
    const { host, page, log } = this.#options;
    if (host === undefined) {
      throw new TelemetryError(
        'prometheusPort is not served with --workers: read /metrics at the internal address or the one for clients',
      );
    }
    const address = { host, port: plan.metricsPort };
    try {
      return await listen('prometheusPort', address, { routes: new Map([[METRICS_PATH, page]]), log });
    } catch (error) {
      throw new TelemetryError((error as Error).message);
    }
  }
}
