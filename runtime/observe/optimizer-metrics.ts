/** The metrics of a gateway's optimizer. */
import { METRIC_PREFIX } from '#schemas';
import type { Gateway } from '../gateway/gateway.ts';
import type { Embedder } from '../gateway/optimizer/embeddings/embedder.ts';
import type { Histogram } from './metrics/histogram.ts';
import type { Labels, Metric, Sample } from './metrics/metric.ts';

const PREFIX = `${METRIC_PREFIX}vmcp_optimizer_`;
const OURS = `${METRIC_PREFIX}gateway_optimizer_`;

/** The metrics of the optimizer; empty for a gateway without one. */
export function listOptimizerMetrics({ optimizer, optimizerCounts: counts }: Gateway): Metric[] {
  if (optimizer === undefined) return [];
  const calls = [...counts.calls].map(([name, call]) => ({ labels: { tool_name: name }, call }));
  const { embedder } = optimizer;
  return [
    createCounter(`${PREFIX}find_tool_requests`, 'Calls of find_tool that have ended.', [
      { labels: {}, value: counts.findRequests },
    ]),
    createCounter(`${PREFIX}find_tool_errors`, 'Calls of find_tool that have failed.', [
      { labels: {}, value: counts.findErrors },
    ]),
    createSeconds(`${PREFIX}find_tool_duration`, 'Duration of calls of find_tool.', [[{}, counts.findSeconds]]),
    createHistogram(`${PREFIX}find_tool_results`, 'Tools that a search has found.', [[{}, counts.results]]),
    createHistogram(`${PREFIX}token_savings_percent`, 'Share of the tokens of all tools that a search saves.', [
      [{}, counts.savedPercent],
    ]),
    createCounter(
      `${OURS}searches`,
      'Searches, by whether meaning or keywords found the tools.',
      Object.entries(counts.searches).map(([search, value]) => ({ labels: { search }, value })),
    ),
    createCounter(
      `${PREFIX}call_tool_requests`,
      'Calls through call_tool that have ended.',
      calls.map(({ labels, call }) => ({ labels, value: call.requests })),
    ),
    createCounter(
      `${PREFIX}call_tool_errors`,
      'Calls through call_tool that have failed.',
      calls.map(({ labels, call }) => ({ labels, value: call.errors })),
    ),
    createCounter(
      `${PREFIX}call_tool_not_found`,
      'Calls through call_tool of tools that do not exist, or that the caller may not see.',
      calls.map(({ labels, call }) => ({ labels, value: call.notFound })),
    ),
    createSeconds(
      `${PREFIX}call_tool_duration`,
      'Duration of calls through call_tool.',
      calls.map(({ labels, call }) => [labels, call.seconds]),
    ),
    createGauge(`${OURS}indexed_tools`, 'Definitions of tools that can be searched.', [
      { labels: {}, value: optimizer.indexedCount },
    ]),
    ...(embedder === undefined ? [] : listEmbeddingMetrics(embedder)),
  ];
}

export function listEmbeddingMetrics({ counts, status }: Pick<Embedder, 'counts' | 'status'>): Metric[] {
  const all = [...counts.all()];
  return [
    createGauge(`${OURS}embeddings_ready`, 'Whether the embedding service answers: 1 or 0.', [
      { labels: {}, value: Number(status.ready) },
    ]),
    createGauge(
      `${OURS}embedded_texts`,
      'Texts with a vector, texts that wait for a vector, and texts that are found by keywords only.',
      [
        { labels: { state: 'embedded' }, value: status.embedded },
        { labels: { state: 'waiting' }, value: status.waiting },
        { labels: { state: 'refused' }, value: status.refused },
      ],
    ),
    createSeconds(
      `${OURS}embedding_request_duration`,
      'Duration of requests to the embedding service.',
      all.map(({ purpose, result, seconds: taken }) => [{ purpose, result }, taken]),
    ),
  ];
}

function createCounter(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, type: 'counter', help, samples };
}

function createGauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, type: 'gauge', help, samples };
}

type MeasuredHistograms = readonly (readonly [Labels, Histogram])[];

function createHistogram(name: string, help: string, measured: MeasuredHistograms): Metric {
  return { name, type: 'histogram', help, samples: measured.map(([labels, histogram]) => histogram.sample(labels)) };
}

function createSeconds(name: string, help: string, measured: MeasuredHistograms): Metric {
  return { ...createHistogram(name, help, measured), unit: 's' } as Metric;
}
