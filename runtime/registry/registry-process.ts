import { VERSION } from '#schemas';
import { ActiveBundle } from '../bundle/active-bundle.ts';
import { BundleError } from '../bundle/bundle-error.ts';
import { type LoadedRegistry, loadRegistry } from '../bundle/load.ts';
import { createMetricsRoute } from '../http/internal-routes.ts';
import type { Route } from '../http/listener.ts';
import type { AuditLog } from '../observe/audit/audit-log.ts';
import { prepareAudit } from '../observe/audit/open-audit.ts';
import type { Logger } from '../observe/log.ts';
import type { Metric } from '../observe/metrics/metric.ts';
import { ServedTelemetry } from '../observe/served-telemetry.ts';
import { describeStartOptions } from '../observe/start-options.ts';
import type { RuntimeOptions } from '../options.ts';
import { findStateFolder } from '../state-folder.ts';
import { openAll } from '../undo.ts';
import { createInternalRoutes } from './internal-routes.ts';
import { listRegistryMetrics } from './metrics.ts';
import { RequestObserver } from './request-observer.ts';
import { type ServedOptions, ServedRegistry } from './served-registry.ts';
import { EntriesFileError } from './sources/bundled-source.ts';
import { buildRegistryStatusPage } from './status.ts';

/** Where the process writes its logs. */
interface Writers {
  readonly log: Logger;
  readonly audit: AuditLog;
}

/** The current server of a process, which is replaced when the bundle changes. */
export class RegistryProcess {
  /** Whether the process listens for clients. */
  isListening = false;
  #served: ServedRegistry;
  /** Whether every source was read once, successfully or not: afterwards an empty list is really empty. */
  #isTried = false;
  readonly #activeBundle: ActiveBundle<LoadedRegistry>;
  readonly #options: RuntimeOptions;
  readonly #log: Logger;
  readonly #audit: AuditLog;
  readonly #observer = new RequestObserver();
  readonly #telemetry: ServedTelemetry;
  /** The ends of replaced servers that still answer requests. */
  readonly #retiring = new Set<Promise<void>>();

  /** @throws BundleError */
  constructor(loaded: LoadedRegistry, options: RuntimeOptions, { log, audit }: Writers) {
    this.#options = options;
    this.#log = log;
    this.#audit = audit;
    this.#activeBundle = new ActiveBundle(loaded, log);
    this.#served = new ServedRegistry(loaded, this.#buildServedOptions(loaded));
    const metrics = () => this.#listMetrics();
    this.#telemetry = new ServedTelemetry({
      server: { namespace: loaded.bundle.namespace, attributes: {}, metrics },
      page: createMetricsRoute(metrics),
      host: options.listen.host,
      log,
      onUse: (_, spans) => {
        this.#observer.spans = spans;
      },
    });
  }

  /**
   * Resolves when the entries in the bundle and the entries stored on disk are listed.
   * @throws BundleError
   */
  async start(): Promise<void> {
    const { contents } = this.#served;
    await waitUntilStarted(this.#served);
    (await this.#telemetry.prepare(this.#served.loaded)).use();
    void contents.tried().then(() => {
      this.#isTried = true;
    });
  }

  /** The handler of a path on the main address. */
  route(path: string): Route {
    return this.#served.route(path);
  }

  /** Loads the bundle at the watched path and serves it. If that fails, continues with the active bundle and returns false. */
  renew(): Promise<boolean> {
    return this.#activeBundle.renew(
      () => loadRegistry(this.#options.bundle, this.#options),
      next => this.#activate(next),
    );
  }

  internalRoutes(): ReadonlyMap<string, Route> {
    return createInternalRoutes({
      ready: () => this.#isReady,
      version: () => ({ version: VERSION, digest: this.#activeBundle.digest }),
      status: () =>
        buildRegistryStatusPage(
          this.#served.loaded.bundle,
          describeStartOptions(this.#options),
          this.#activeBundle,
          this.#now,
          this.#audit.status,
        ),
      metrics: () => this.#listMetrics(),
    });
  }

  #listMetrics(): readonly Metric[] {
    const { counts, durations } = this.#observer;
    return listRegistryMetrics({
      version: VERSION,
      bundle: this.#served.loaded.bundle,
      state: this.#activeBundle,
      requests: counts,
      durations,
      audit: this.#audit.totals,
      telemetry: this.#telemetry.metrics(this.#audit.exported),
      ...this.#now,
    });
  }

  /** Resolves when the last request has been answered and no work remains. */
  async close(): Promise<void> {
    await Promise.all([...this.#retiring, this.#served.close()]);
    await this.#telemetry.close(); // Closed after the last request has ended its span.
  }

  async #activate(loaded: LoadedRegistry): Promise<void> {
    const previous = this.#served;
    const next = await openAll(async undo => {
      const recording = await prepareAudit(this.#audit, loaded);
      undo.add(() => recording.cancel());
      const reporting = await this.#telemetry.prepare(loaded);
      undo.add(() => reporting.discard());
      const served = new ServedRegistry(loaded, this.#buildServedOptions(loaded), previous);
      undo.add(() => served.close(previous));
      await waitUntilStarted(served);
      return {
        served,
        use: () => {
          recording.apply();
          reporting.use();
        },
      };
    });
    this.#served = next.served;
    next.use();
    const retired = previous.close(next.served).finally(() => this.#retiring.delete(retired));
    this.#retiring.add(retired);
  }

  get #isReady(): boolean {
    return this.isListening && this.#isTried;
  }

  get #now() {
    const { contents, providers } = this.#served;
    return { ready: this.#isReady, sources: contents.status(), providers };
  }

  #buildServedOptions({ bundle }: LoadedRegistry): ServedOptions {
    const { stateDir, denial, allowedOrigins = [] } = this.#options;
    return {
      log: this.#log,
      observer: this.#observer,
      audit: this.#audit,
      stateDir: findStateFolder(stateDir, bundle),
      denial,
      allowedOrigins,
    };
  }
}

/** @throws BundleError */
async function waitUntilStarted({ contents, loaded }: ServedRegistry): Promise<void> {
  try {
    await contents.start();
  } catch (error) {
    throw error instanceof EntriesFileError ? new BundleError(loaded.file, error.message, loaded.bundle) : error;
  }
}
