import { METRIC_PREFIX, type RegistryBundle } from '#schemas';
import type { ProviderStatus } from '../auth/incoming/authenticator.ts';
import type { BundleState } from '../bundle/active-bundle.ts';
import { type AuditTotals, auditMetrics } from '../observe/audit/audit-metrics.ts';
import { type Metric, type Sample, withLabels } from '../observe/metrics/metric.ts';
import { listProcessMetrics } from '../observe/metrics/process-metrics.ts';
import { listTargetInfo } from '../observe/metrics/target-info.ts';
import type { RequestCount } from './request-counts.ts';
import type { RequestDurations } from './request-durations.ts';
import type { SourceStatus } from './snapshot.ts';

const PREFIX = `${METRIC_PREFIX}registry_`;

/** The data from which the metrics of a registry server are made. */
export interface RegistryMeasurements {
  readonly version: string;
  readonly bundle: Pick<RegistryBundle, 'namespace' | 'name' | 'telemetry'>;
  readonly state: BundleState;
  readonly ready: boolean;
  readonly requests: Iterable<RequestCount>;
  readonly durations: Pick<RequestDurations, 'metric'>;
  /** The totals of the audit log; undefined when nothing was ever recorded. */
  readonly audit: AuditTotals | undefined;
  /** The metrics about exports to the collector. */
  readonly telemetry: readonly Metric[];
  readonly sources: readonly SourceStatus[];
  readonly providers: readonly ProviderStatus[];
}

/** The contents of the page `/metrics`. */
export function listRegistryMetrics(measured: RegistryMeasurements): readonly Metric[] {
  const { version, bundle, state, ready, requests, durations, sources, providers, audit, telemetry } = measured;
  return [
    createGauge('bundle_info', 'The bundle that is served; always 1.', [
      { labels: { namespace: bundle.namespace, name: bundle.name, digest: state.digest, version }, value: 1 },
    ]),
    createGauge('bundle_refused', 'The newest bundle was refused, and an older one is served.', [
      toFlagSample(state.refused !== null),
    ]),
    createGauge('ready', 'The process is ready for clients.', [toFlagSample(ready)]),
    {
      name: `${PREFIX}requests`,
      type: 'counter',
      help: 'Requests at the main address by operation, registry and class of status.',
      samples: [...requests].map(({ count, ...labels }) => ({ labels, value: count })),
    },
    durations.metric(),
    perSource('source_servers', 'Versions of servers that are listed now.', ({ servers }) => servers),
    perSource('source_last_sync_timestamp_seconds', 'When the source was read last with success.', ({ lastSync }) =>
      lastSync === null ? undefined : Date.parse(lastSync) / 1000,
    ),
    perSource(
      'source_consecutive_failures',
      'Failures to read the source since the last success.',
      ({ attempts }) => attempts,
    ),
    perSource('source_from_disk', 'The listed entries were read by an earlier process.', ({ isFromDisk }) =>
      Number(isFromDisk),
    ),
    createGauge(
      'provider_keys',
      'Keys of the identity provider that are known.',
      providers.map(({ name: provider, keys }) => ({ labels: { provider }, value: keys ?? 0 })),
    ),
    ...[...auditMetrics(audit), ...telemetry].map(metric =>
      withLabels(metric, { namespace: bundle.namespace, server: bundle.name }),
    ),
    ...listTargetInfo(bundle.telemetry),
    ...listProcessMetrics(),
  ];

  function perSource(metric: string, help: string, read: (source: SourceStatus) => number | undefined): Metric {
    const samples = sources.flatMap((source): Sample[] => {
      const value = read(source);
      return value === undefined ? [] : [{ labels: { source: source.name, type: source.type }, value }];
    });
    return createGauge(metric, help, samples);
  }
}

function createGauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name: `${PREFIX}${name}`, type: 'gauge', help, samples };
}

function toFlagSample(isSet: boolean): Sample {
  return { labels: {}, value: Number(isSet) };
}
