/** Exporters of the SDK for one collector. They are created again when a secret or a file of certificate authorities has changed. */

import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { OtlpPlan } from '#schemas';
import type { Secret, Secrets } from '../../auth/secrets.ts';
import type { AuthorityFile } from '../../http/authority-file.ts';
import { listTrustedCertificates } from '../../http/tls-trust.ts';
import type { Exporter } from './delivery.ts';
import type { Sdk } from './load-sdk.ts';

/** Timeout of one export with its retries, in milliseconds. */
const EXPORT_MS = 10_000;

/** The gRPC method that receives logs. */
const LOGS_SERVICE = '/opentelemetry.proto.collector.logs.v1.LogsService/Export';

/** The headers and certificate authorities with which an exporter was created. */
interface CollectorAccess {
  readonly headers: Readonly<Record<string, string>>;
  readonly ca: readonly string[] | undefined;
}

export class OtlpExporters {
  readonly #sdk: Sdk;
  readonly #plan: OtlpPlan;
  readonly #authorities: AuthorityFile | undefined;
  readonly #headers: readonly { readonly name: string; readonly secret: Secret }[];

  /**
   * @param authorities the file of certificate authorities that the plan names
   * @throws SecretError
   */
  constructor(sdk: Sdk, plan: OtlpPlan, authorities: AuthorityFile | undefined, secrets: Secrets) {
    this.#sdk = sdk;
    this.#plan = plan;
    this.#authorities = authorities;
    this.#headers = plan.headers.map(({ name, value }) => ({
      name,
      secret:
        value.type === 'text' ? { value: value.text } : secrets.open(value.from, `header "${name}" for the collector`),
    }));
  }

  /** Returns a function that returns the exporter of spans for the current headers and authorities. */
  spans(): () => Promise<Exporter<ReadableSpan[]>> {
    return this.#getCurrent(access =>
      this.#plan.protocol === 'grpc'
        ? new this.#sdk.GrpcTraceExporter(this.#buildGrpcOptions(access))
        : new this.#sdk.HttpTraceExporter(this.#buildHttpOptions('/v1/traces', access)),
    );
  }

  metrics(): () => Promise<Exporter<ResourceMetrics>> {
    return this.#getCurrent(access =>
      this.#plan.protocol === 'grpc'
        ? new this.#sdk.GrpcMetricExporter(this.#buildGrpcOptions(access))
        : new this.#sdk.HttpMetricExporter(this.#buildHttpOptions('/v1/metrics', access)),
    );
  }

  /** Does the same as `spans` for logs. It does not use the SDK's exporter of logs, which would load the SDK's whole pipeline for logs. */
  logs(): () => Promise<Exporter<ReadableLogRecord[]>> {
    return this.#getCurrent(access => {
      const { OTLPExporterBase, LogsExporterMetricsHelper: helper, ProtobufLogsSerializer: serializer } = this.#sdk;
      if (this.#plan.protocol === 'grpc') {
        const options = this.#sdk.convertLegacyOtlpGrpcOptions(this.#buildGrpcOptions(access), 'LOGS');
        const create = this.#sdk.createOtlpGrpcExportDelegate<ReadableLogRecord[], unknown>;
        return new OTLPExporterBase(
          create(options, serializer, 'otlp_grpc_log_exporter', helper, undefined, 'LogsExportService', LOGS_SERVICE),
        );
      }
      const http = this.#buildHttpOptions('/v1/logs', access);
      const options = this.#sdk.convertLegacyHttpOptions(http, 'LOGS', 'v1/logs', {
        'Content-Type': 'application/x-protobuf',
      });
      const create = this.#sdk.createOtlpHttpExportDelegate<ReadableLogRecord[], unknown>;
      return new OTLPExporterBase(create(options, serializer, 'otlp_http_log_exporter', helper, undefined));
    });
  }

  #getCurrent<T>(make: (access: CollectorAccess) => Exporter<T>): () => Promise<Exporter<T>> {
    let known: { readonly key: string; readonly exporter: Exporter<T> } | undefined;
    return async () => {
      const access = await this.#resolveAccess();
      const key = JSON.stringify(access);
      if (known?.key !== key) known = { key, exporter: make(access) };
      return known.exporter;
    };
  }

  async #resolveAccess(): Promise<CollectorAccess> {
    const pem = this.#authorities === undefined ? this.#plan.caPem : await this.#authorities.read();
    return {
      headers: Object.fromEntries(this.#headers.map(({ name, secret }) => [name, secret.value])),
      ca: pem === undefined ? undefined : listTrustedCertificates(pem, false),
    };
  }

  #buildHttpOptions(path: string, { headers, ca }: CollectorAccess) {
    return {
      url: `${this.#plan.endpoint}${path}`,
      headers: { ...headers },
      httpAgentOptions: { keepAlive: true, ...(ca === undefined ? {} : { ca: [...ca] }) },
      timeoutMillis: EXPORT_MS,
      concurrencyLimit: 1,
    };
  }

  #buildGrpcOptions({ headers, ca }: CollectorAccess) {
    const { credentials, Metadata } = this.#sdk;
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    const { endpoint: url } = this.#plan;
    const secure = () => credentials.createSsl(ca === undefined ? null : Buffer.from(ca.join('\n')));
    return {
      url,
      metadata,
      credentials: url.startsWith('https:') ? secure() : credentials.createInsecure(),
      timeoutMillis: EXPORT_MS,
      concurrencyLimit: 1,
    };
  }
}
