import { expect, test } from 'vitest';
import type { Metric } from '../../../runtime/observe/metrics/metric.ts';
import { formatPrometheus, openMetricsText } from '../../../runtime/observe/metrics/prometheus-text.ts';
import { listRegistryMetrics, type RegistryMeasurements } from '../../../runtime/registry/metrics.ts';
import { RequestCounts } from '../../../runtime/registry/request-counts.ts';
import { RequestDurations } from '../../../runtime/registry/request-durations.ts';
import type { SourceStatus } from '../../../runtime/registry/snapshot.ts';
import { readPrometheus } from '../../support/prometheus.ts';

const SOURCE: SourceStatus = {
  name: 'ours',
  type: 'git',
  phase: 'complete',
  servers: 7,
  lastSync: '2026-03-01T00:00:01.500Z',
  lastAttempt: '2026-03-01T00:00:01.500Z',
  attempts: 0,
  message: '',
  isFromDisk: false,
};

const MEASURED: RegistryMeasurements = {
  version: '1.2.3',
  bundle: { namespace: 'default', name: 'company' },
  state: { digest: 'sha256:0', refused: null, staleSecurity: [] },
  ready: true,
  requests: [],
  durations: new RequestDurations(),
  audit: undefined,
  telemetry: [],
  sources: [SOURCE],
  providers: [],
};

/** The process's own samples change with each reading. */
const isOurs = ({ name }: Metric): boolean => name.startsWith('lintel_');

/** Samples without the common prefix of names, as `name{a="b"} 1`. */
function samplesOf(measured: Partial<RegistryMeasurements>): string[] {
  const read = readPrometheus(formatPrometheus(listRegistryMetrics({ ...MEASURED, ...measured }).filter(isOurs)));
  return [...read].flatMap(([name, { samples }]) =>
    samples.map(({ labels, value }) => {
      const pairs = Object.entries(labels).map(([label, text]) => `${label}=${text}`);
      return `${name.replace(/^lintel_registry_/, '')} ${[...pairs, value].join(' ')}`;
    }),
  );
}

test('the metrics of an idle registry server show its bundle, sources and readiness', () => {
  expect(samplesOf({})).toEqual([
    'bundle_info namespace=default name=company digest=sha256:0 version=1.2.3 1',
    'bundle_refused 0',
    'ready 1',
    'source_servers source=ours type=git 7',
    'source_last_sync_timestamp_seconds source=ours type=git 1772323201.5',
    'source_consecutive_failures source=ours type=git 0',
    'source_from_disk source=ours type=git 0',
  ]);
});

test('the metrics show a refused bundle and a registry server that is not ready', () => {
  const state = { digest: 'sha256:0', refused: 'bad', staleSecurity: [] };
  expect(samplesOf({ state, ready: false })).toEqual(expect.arrayContaining(['bundle_refused 1', 'ready 0']));
});

test('for a source that was never read, the metrics have the number of failures, and no time of the last reading', () => {
  const sources = [{ ...SOURCE, lastSync: null, attempts: 3, servers: 0, isFromDisk: true }];
  const samples = samplesOf({ sources }).filter(line => line.startsWith('source_'));
  expect(samples).toEqual([
    'source_servers source=ours type=git 0',
    'source_consecutive_failures source=ours type=git 3',
    'source_from_disk source=ours type=git 1',
  ]);
});

test('the metrics show how many keys of each identity provider the registry server has', () => {
  const provider = { name: 'corp', issuer: 'https://i', keys: 2, lastFetch: null, message: '', staleAuthorities: null };
  expect(samplesOf({ providers: [provider, { ...provider, name: 'none', keys: null }] })).toEqual(
    expect.arrayContaining(['provider_keys provider=corp 2', 'provider_keys provider=none 0']),
  );
});

test('the metrics count requests by operation, registry and status', () => {
  const requests = new RequestCounts();
  for (const status of [200, 304, 200, 401, undefined])
    requests.add({ operation: 'servers', registry: 'main' }, status);
  requests.add({ operation: 'none', registry: '' }, 404);
  expect(samplesOf({ requests }).filter(line => line.startsWith('requests_total'))).toEqual([
    'requests_total operation=servers registry=main status=2xx 2',
    'requests_total operation=servers registry=main status=3xx 1',
    'requests_total operation=servers registry=main status=4xx 1',
    'requests_total operation=servers registry=main status=aborted 1',
    'requests_total operation=none registry= status=4xx 1',
  ]);
});

test('the metrics of durations follow the OpenTelemetry conventions for HTTP, and count any invented method as _OTHER', () => {
  const durations = new RequestDurations();
  const route = '/registry/main/v0.1/servers';
  const trace = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
  durations.add({ method: 'GET', route, status: 200 }, 0.006, trace);
  durations.add({ method: 'GET', route, status: 200 }, 20);
  durations.add({ method: 'BREW', route: undefined, status: 404 }, 0.001);
  durations.add({ method: 'GET', route, status: undefined }, 0.001);
  durations.add({ method: 'GET', route, status: 503 }, 0.001);
  const found = durations.metric();
  expect(found.type === 'histogram' && found.samples.map(({ labels, count }) => [labels, count])).toEqual([
    [{ 'http.request.method': 'GET', 'http.route': route, 'http.response.status_code': '200' }, 2],
    [{ 'http.request.method': '_OTHER', 'http.response.status_code': '404' }, 1],
    [{ 'http.request.method': 'GET', 'http.route': route, 'error.type': 'aborted' }, 1],
    [
      {
        'http.request.method': 'GET',
        'http.route': route,
        'http.response.status_code': '503',
        'error.type': '503',
      },
      1,
    ],
  ]);
  const page = openMetricsText([found]);
  expect(page).toContain(`le="0.01"} 1 # {trace_id="${trace.traceId}",span_id="${trace.spanId}"} 0.006 `);
});

test('metric names of the registry server have the form of Prometheus, and each metric has a help text', () => {
  for (const [name, { type, help }] of readPrometheus(formatPrometheus(listRegistryMetrics(MEASURED).filter(isOurs)))) {
    expect(name).toMatch(/^lintel_(?:registry|audit)_[a-z_]+$/);
    expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
    expect([name, help]).toEqual([name, expect.stringMatching(/\.$/)]);
  }
});
