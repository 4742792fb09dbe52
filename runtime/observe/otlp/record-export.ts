/** Sends audit records to a collector, as OTLP logs. Loaded only if an environment variable names a collector (ADR 0019). */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HrTime } from '@opentelemetry/api';
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import { type OtlpPlan, VERSION } from '#schemas';
import { Secrets } from '../../auth/secrets.ts';
import { AuthorityFile } from '../../http/authority-file.ts';
import type { Logger } from '../log.ts';
import { BatchQueue } from './batch-queue.ts';
import { Delivery } from './delivery.ts';
import { OtlpExporters } from './exporters.ts';
import { loadSdk, type Sdk } from './load-sdk.ts';
import { AUTHORITIES_VARIABLE, buildCommonResource, type Environment } from './resource.ts';
import type { SentItems } from './sent-metrics.ts';

/** Limits on the number and the total characters of records that wait for the collector or are being sent: at most 8 MB of memory. */
const LIMITS = { maxWaiting: 8_192, maxSize: 4 * 1024 * 1024, delayMs: 1_000 };

/** How long a process that ends waits for its collector, in milliseconds. */
const CLOSE_MS = 3_000;

const SCOPE = { name: 'lintel.audit', version: VERSION };

const LOGGED_AT = '"logged_at":"';

/** The length of `2026-01-01T00:00:00.000Z`. */
const TIME_LENGTH = 24;

/** What the export needs to know of the server whose records it sends. */
export interface ExportedServer {
  readonly namespace: string;
  readonly name: string;
}

export class RecordExport {
  readonly #sdk: Sdk;
  readonly #resource: ReturnType<Sdk['resourceFromAttributes']>;
  readonly #queue: BatchQueue<ReadableLogRecord>;
  readonly #delivery: Delivery<ReadableLogRecord[]>;
  readonly #authorities: AuthorityFile | undefined;

  /** @throws TrustError for a file of authorities that cannot be read */
  static async open(
    collector: Pick<OtlpPlan, 'endpoint' | 'protocol'>,
    server: ExportedServer,
    log: Logger,
    env: Environment = process.env,
  ): Promise<RecordExport> {
    const caFile = env[AUTHORITIES_VARIABLE] || undefined;
    const authorities = caFile === undefined ? undefined : new AuthorityFile(caFile, log);
    try {
      await authorities?.read();
    } catch (error) {
      authorities?.close();
      throw error;
    }
    return new RecordExport(loadSdk(), collector, server, authorities, log, env);
  }

  private constructor(
    sdk: Sdk,
    collector: Pick<OtlpPlan, 'endpoint' | 'protocol'>,
    { namespace, name }: ExportedServer,
    authorities: AuthorityFile | undefined,
    log: Logger,
    env: Environment,
  ) {
    this.#sdk = sdk;
    this.#authorities = authorities;
    const plan = { ...collector, headers: [], samplingRate: null, metrics: false };
    const exporters = new OtlpExporters(sdk, plan, authorities, new Secrets({ log, env }));
    this.#delivery = new Delivery({ signal: 'logs', log, exporter: exporters.logs() });
    this.#queue = new BatchQueue(this.#delivery, { ...LIMITS, measure: ({ body }) => String(body).length });
    this.#resource = sdk.resourceFromAttributes({
      ...buildCommonResource(namespace, env),
      'service.name': name,
      'service.version': VERSION,
    });
  }

  /** The outcomes of all records. */
  get items(): SentItems {
    const { sent, failed } = this.#delivery;
    return { signal: 'logs', sent, failed, dropped: this.#queue.dropped };
  }

  /** @param line the record exactly as it is in the log, so that the hash chain can be verified in both */
  add(line: string): void {
    this.#queue.add({
      hrTime: readTime(line),
      hrTimeObserved: toHrTime(Date.now()),
      severityNumber: this.#sdk.SeverityNumber.INFO,
      severityText: 'AUDIT',
      eventName: 'audit_event',
      body: line,
      resource: this.#resource,
      instrumentationScope: SCOPE,
      attributes: {},
      droppedAttributesCount: 0,
    });
  }

  /** Sends waiting records, as far as the collector accepts them in the remaining time. */
  async close(): Promise<void> {
    await Promise.race([this.#queue.shutdown(), sleep(CLOSE_MS, undefined, { ref: false })]);
    this.#authorities?.close();
  }
}

function readTime(line: string): HrTime {
  const at = line.indexOf(LOGGED_AT);
  const from = at + LOGGED_AT.length;
  const ms = at === -1 ? Number.NaN : Date.parse(line.slice(from, from + TIME_LENGTH));
  return toHrTime(Number.isNaN(ms) ? Date.now() : ms);
}

/** @param ms milliseconds since 1970 */
function toHrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, (ms - seconds * 1_000) * 1e6];
}
