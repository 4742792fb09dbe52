/** Turns the counted requests into metrics. */
import { METRIC_PREFIX } from '#schemas';
import type { HistogramSample, Labels, Metric, Sample } from '../metrics/metric.ts';
import type { RequestObserver } from './observed-handlers.ts';
import type { RequestCounts, RequestOutcome, RequestTraits } from './request-counts.ts';

/** The labels of a backend other than its name. */
export interface BackendLabels {
  readonly transport: string;
  /** Whether requests to this backend carry a credential. */
  readonly authenticated: boolean;
}

interface RequestMetricsOptions {
  readonly backends: ReadonlyMap<string, BackendLabels>;
  readonly useLegacyAttributes: boolean;
}

const ACTIONS: Readonly<Record<string, string>> = {
  'tools/call': 'call_tool',
  'prompts/get': 'get_prompt',
  'resources/read': 'read_resource',
};

export function requestMetrics(
  observer: RequestObserver,
  backends: ReadonlyMap<string, BackendLabels>,
): readonly Metric[] {
  const { counts, useLegacyAttributes: isLegacy } = observer;
  const options = { backends, useLegacyAttributes: isLegacy };
  const served = (traits: RequestTraits, type: string) => toServedLabels(traits, type, isLegacy);
  const sent = (traits: RequestTraits) => toSentLabels(traits, options);
  return [
    {
      name: `${METRIC_PREFIX}mcp_requests`,
      type: 'counter',
      help: 'Requests and notifications of clients that have been answered.',
      samples: sumSamples(
        counts,
        withoutBackend((traits, type) => requestLabels(traits, type, isLegacy)),
      ),
    },
    {
      name: `${METRIC_PREFIX}mcp_tool_calls`,
      type: 'counter',
      help: 'Calls of tools, by the name that clients see and by backend; a workflow has no backend.',
      samples: sumSamples(
        counts,
        withoutBackend(({ kind, name, backend }, type) =>
          kind === 'tool' ? { tool: name, 'target.workload_name': backend, status: toStatus(type) } : undefined,
        ),
      ),
    },
    {
      name: 'mcp.server.operation.duration',
      unit: 's',
      type: 'histogram',
      help: 'Duration of requests from their arrival to the end of the answer.',
      samples: sumHistograms(counts, ({ total }) => total, withoutBackend(served)),
    },
    {
      name: 'mcp.client.operation.duration',
      unit: 's',
      type: 'histogram',
      help: 'Duration of requests to backends, from sending them to the end of the answer.',
      samples: sumHistograms(
        counts,
        ({ atBackend }) => atBackend,
        (traits, type) => ({
          ...served(traits, type),
          'target.workload_name': traits.backend,
        }),
      ),
    },
    {
      name: 'mcp.server.session.duration',
      unit: 's',
      type: 'histogram',
      help: 'Duration of sessions of clients that have ended.',
      samples: [observer.sessionSeconds.sample({})],
    },
    {
      name: `${METRIC_PREFIX}vmcp_backend_requests`,
      type: 'counter',
      help: 'Requests that were sent to a backend, for clients and for steps of workflows.',
      samples: sumSamples(counts, traits => (traits.backend === '' ? undefined : sent(traits))),
    },
    {
      name: `${METRIC_PREFIX}vmcp_backend_errors`,
      type: 'counter',
      help: 'Requests to backends that have failed, at the backend or on the way.',
      samples: sumSamples(counts, (traits, type) =>
        traits.backend === '' || type === '' ? undefined : { ...sent(traits), 'error.type': type },
      ),
    },
    ...(isLegacy ? listLegacyDurations(counts, options) : []),
    {
      name: `${METRIC_PREFIX}metrics_overflow`,
      type: 'counter',
      help: 'Values of labels beyond the limit, which are counted under "other".',
      samples: [...counts.overflows].map(([label, value]) => ({ labels: { label }, value })),
    },
  ];
}

/** Histograms under their names from before the semantic conventions for MCP. */
function listLegacyDurations(counts: RequestCounts, options: RequestMetricsOptions): Metric[] {
  return [
    {
      name: `${METRIC_PREFIX}mcp_request_duration`,
      unit: 's',
      type: 'histogram',
      help: 'The same as mcp_server_operation_duration_seconds, under its former name.',
      samples: sumHistograms(
        counts,
        ({ total }) => total,
        withoutBackend((traits, type) => ({
          mcp_method: traits.method,
          status: toStatus(type),
          transport: traits.transport,
        })),
      ),
    },
    {
      name: `${METRIC_PREFIX}vmcp_backend_requests_duration`,
      unit: 's',
      type: 'histogram',
      help: 'The same as mcp_client_operation_duration_seconds, under its former name.',
      samples: sumHistograms(
        counts,
        ({ atBackend }) => atBackend,
        traits => toSentLabels(traits, options),
      ),
    },
  ];
}

function requestLabels({ method, transport }: RequestTraits, type: string, isLegacy: boolean): Labels {
  return {
    'mcp.method.name': method,
    ...(isLegacy ? { mcp_method: method } : {}),
    status: toStatus(type),
    ...(type === '' ? {} : { 'error.type': type }),
    transport,
  };
}

function toServedLabels({ method, revision, kind, name }: RequestTraits, type: string, isLegacy: boolean): Labels {
  return {
    'mcp.method.name': method,
    'mcp.protocol.version': revision,
    ...toNameLabels(kind, name, isLegacy),
    ...(method === 'tools/call' ? { 'gen_ai.operation.name': 'execute_tool' } : {}),
    ...(type === '' ? {} : { 'error.type': type }),
    'network.protocol.name': 'http',
    'network.transport': 'tcp',
  };
}

function toSentLabels(
  { method, revision, backend, kind, name }: RequestTraits,
  { backends, useLegacyAttributes }: RequestMetricsOptions,
): Labels {
  const known = backends.get(backend);
  return {
    'target.workload_id': backend,
    'target.workload_name': backend,
    'target.transport_type': known?.transport ?? '',
    action: ACTIONS[method] ?? method,
    'mcp.method.name': method,
    'mcp.protocol.revision': revision,
    'auth.authenticated': String(known?.authenticated ?? false),
    ...toNameLabels(kind, name, useLegacyAttributes),
  };
}

function toNameLabels(kind: RequestTraits['kind'], name: string, isLegacy: boolean): Labels {
  if (name === '' || (kind !== 'tool' && kind !== 'prompt')) return {};
  return isLegacy ? { [`gen_ai.${kind}.name`]: name, [`${kind}_name`]: name } : { [`gen_ai.${kind}.name`]: name };
}

/** Leaves out the calls of steps, which no client has sent. */
function withoutBackend(getLabels: GetLabels): GetLabels {
  return (traits, type) => (traits.isStep ? undefined : getLabels(traits, type));
}

function toStatus(errorType: string): 'success' | 'error' {
  return errorType === '' ? 'success' : 'error';
}

/** The labels of a sample; undefined for requests that the metric does not count. */
type GetLabels = (traits: RequestTraits, errorType: string) => Labels | undefined;

function sumSamples(counts: RequestCounts, getLabels: GetLabels): readonly Sample[] {
  const samples = new Map<string, { labels: Labels; value: number }>();
  for (const { traits, outcomes } of counts.series) {
    for (const { errorType, total } of outcomes) {
      const labels = getLabels(traits, errorType);
      if (labels === undefined) continue;
      const key = JSON.stringify(labels);
      const known = samples.get(key);
      if (known === undefined) samples.set(key, { labels, value: total.count });
      else known.value += total.count;
    }
  }
  return [...samples.values()];
}

function sumHistograms(
  counts: RequestCounts,
  findHistogram: (outcome: RequestOutcome) => RequestOutcome['atBackend'],
  getLabels: GetLabels,
): readonly HistogramSample[] {
  const samples = new Map<string, HistogramSample>();
  for (const { traits, outcomes } of counts.series) {
    for (const outcome of outcomes) {
      const histogram = findHistogram(outcome);
      if (histogram === undefined || histogram.count === 0) continue;
      const labels = getLabels(traits, outcome.errorType);
      if (labels === undefined) continue;
      const key = JSON.stringify(labels);
      const known = samples.get(key);
      const sample = histogram.sample(labels);
      samples.set(key, known === undefined ? sample : addHistograms(known, sample));
    }
  }
  return [...samples.values()];
}

/** Adds two histograms with the same bounds. */
function addHistograms(a: HistogramSample, b: HistogramSample): HistogramSample {
  return {
    ...a,
    counts: a.counts.map((count, at) => count + (b.counts[at] ?? 0)),
    sum: a.sum + b.sum,
    count: a.count + b.count,
    exemplars: a.counts.map((_, at) => b.exemplars[at] ?? a.exemplars[at]),
  };
}
