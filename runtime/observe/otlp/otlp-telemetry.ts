/** Sends the traces and metrics of a server to its collector. Loaded only for a bundle that names a collector. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attributes } from '@opentelemetry/api';
import { type OtlpPlan, type TelemetryPlan, VERSION } from '#schemas';
import { Secrets } from '../../auth/secrets.ts';
import { AuthorityFile } from '../../http/authority-file.ts';
import type { Logger } from '../log.ts';
import type { Metric } from '../metrics/metric.ts';
import { DeferredTracer, PresetIds } from './deferred-tracer.ts';
import { Delivery, type Signal } from './delivery.ts';
import { OtlpExporters } from './exporters.ts';
import { loadSdk, type Sdk } from './load-sdk.ts';
import { toResourceMetrics } from './metric-data.ts';
import { MetricPush } from './metric-push.ts';
import { AUTHORITIES_VARIABLE, buildCommonResource, type Environment } from './resource.ts';
import type { SentItems } from './sent-metrics.ts';
import { SpanQueue } from './span-queue.ts';
import type { SpanSource } from './span-source.ts';

/** How long a process that ends waits for its collector, in milliseconds. */
const CLOSE_MS = 3_000;

/** Maximum length of an attribute in characters, and maximum number of attributes of a span, because waiting spans are kept in memory. */
const SPAN_LIMITS = { attributeValueLengthLimit: 256, attributeCountLimit: 64 };

/** What telemetry needs to know of the gateway or registry server that it reports. */
export interface ReportedServer {
  readonly namespace: string;
  /** Attributes of the reporting resource, in addition to those of every server. */
  readonly attributes: Attributes;
  metrics(): readonly Metric[];
}

/** The counts of the items of one signal (traces or metrics). */
interface SentSignal {
  readonly signal: Signal;
  readonly delivery: Delivery<never>;
  /** Number of items that were never sent, in addition to those that the collector refused. */
  readonly dropped: () => number;
}

/** The files of authorities and secrets, which are read again when they change. */
interface FollowedFiles {
  readonly authorities: AuthorityFile | undefined;
  readonly secrets: Secrets;
}

export class OtlpTelemetry {
  /** Undefined when traces are not sent. */
  readonly spanSource: SpanSource | undefined;
  readonly #followed: FollowedFiles;
  readonly #sent: SentSignal[] = [];
  #spans: SpanQueue | undefined;
  #metrics: MetricPush | undefined;

  /**
   * Begins to send, even if the collector cannot be reached.
   *
   * @throws SecretError, TrustError
   */
  static async open(
    plan: TelemetryPlan & { readonly otlp: OtlpPlan },
    server: ReportedServer,
    log: Logger,
    env: Environment = process.env,
  ): Promise<OtlpTelemetry> {
    const { caPem, caFile = caPem === undefined ? env[AUTHORITIES_VARIABLE] || undefined : undefined } = plan.otlp;
    const authorities = caFile === undefined ? undefined : new AuthorityFile(caFile, log);
    const secrets = new Secrets({ log, env });
    try {
      await authorities?.read();
      return new OtlpTelemetry(loadSdk(), plan, server, { authorities, secrets }, log, env);
    } catch (error) {
      authorities?.close();
      secrets.close();
      throw error;
    }
  }

  private constructor(
    sdk: Sdk,
    plan: TelemetryPlan & { readonly otlp: OtlpPlan },
    server: ReportedServer,
    { authorities, secrets }: FollowedFiles,
    log: Logger,
    env: Environment,
  ) {
    this.#followed = { authorities, secrets };
    const exporters = new OtlpExporters(sdk, plan.otlp, authorities, secrets);
    const resource = sdk.resourceFromAttributes(buildResource(plan, server, env));
    const { samplingRate } = plan.otlp;
    if (samplingRate !== null) {
      const delivery = new Delivery({ signal: 'traces', log, exporter: exporters.spans() });
      const spans = new SpanQueue(delivery);
      this.#spans = spans;
      this.#sent.push({ signal: 'traces', delivery, dropped: () => spans.dropped });
      const ids = new PresetIds();
      const provider = new sdk.TracerProvider({
        resource,
        idGenerator: ids,
        sampler: new sdk.AlwaysOnSampler(),
        spanProcessors: [spans],
        spanLimits: SPAN_LIMITS,
      });
      this.spanSource = {
        sdk,
        tracer: new DeferredTracer(sdk, provider.getTracer('lintel', VERSION), ids),
        samplingRate,
        environment: readEnvironment(plan, env),
      };
    }
    if (plan.otlp.metrics) {
      const delivery = new Delivery({ signal: 'metrics', log, exporter: exporters.metrics() });
      const send = (metrics: readonly Metric[]) =>
        delivery.send(toResourceMetrics(sdk, metrics, resource), metrics.length);
      const push = new MetricPush(() => server.metrics(), send, env.OTEL_METRIC_EXPORT_INTERVAL);
      this.#metrics = push;
      this.#sent.push({ signal: 'metrics', delivery, dropped: () => push.skipped });
    }
  }

  /** Sends waiting items, as far as the collector accepts them in the remaining time. */
  async close(): Promise<void> {
    this.spanSource?.tracer.flush();
    const all = Promise.all([this.#spans?.shutdown(), this.#metrics?.close()]);
    await Promise.race([all, sleep(CLOSE_MS, undefined, { ref: false })]);
    await Promise.race([
      Promise.all(this.#sent.map(({ delivery }) => delivery.close())),
      sleep(CLOSE_MS, undefined, { ref: false }),
    ]);
    this.#followed.authorities?.close();
    this.#followed.secrets.close();
  }

  /** The outcomes of all items. */
  get items(): readonly SentItems[] {
    return this.#sent.map(({ signal, delivery: { sent, failed }, dropped }) => ({
      signal,
      sent,
      failed,
      dropped: dropped(),
    }));
  }
}

/** The resource attributes of the server. Attributes in the bundle take precedence over those in the environment. */
function buildResource(plan: TelemetryPlan, { namespace, attributes }: ReportedServer, env: Environment): Attributes {
  return {
    ...buildCommonResource(namespace, env),
    ...attributes,
    'service.name': plan.serviceName,
    'service.version': plan.serviceVersion ?? VERSION,
    ...plan.attributes,
  };
}

function readEnvironment({ environmentVariables }: TelemetryPlan, env: Environment): Attributes {
  return Object.fromEntries(
    environmentVariables.flatMap(name => (env[name] === undefined ? [] : [[`environment.${name}`, env[name]]])),
  );
}
