/** Parses the Prometheus text format, version 0.0.4, as documented; throws for anything else. */

export interface ReadMetric {
  readonly type: string;
  readonly help: string;
  /** For a histogram, each line is a sample; the label with the empty name distinguishes them: `bucket`, `sum` or `count`. */
  readonly samples: { readonly labels: { readonly [name: string]: string }; readonly value: number }[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"';
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)?\\})? (\\S+)$`);

export function readPrometheus(text: string): ReadonlyMap<string, ReadMetric> {
  if (!text.endsWith('\n')) throw new Error('the last line has no line feed');
  const metrics = new Map<string, { type: string; help: string; samples: ReadMetric['samples'] }>();
  for (const line of text.slice(0, -1).split('\n')) {
    const comment = new RegExp(`^# (HELP|TYPE) (${NAME}) (.*)$`, 's').exec(line);
    if (comment !== null) {
      const [, what, name = '', rest = ''] = comment;
      const metric = metrics.get(name) ?? { type: '', help: '', samples: [] };
      if (metric.samples.length > 0) throw new Error(`${what} of ${name} after its samples`);
      if (what === 'TYPE') metric.type = rest;
      else metric.help = unescaped(rest);
      metrics.set(name, metric);
      continue;
    }
    const sample = SAMPLE.exec(line);
    if (sample === null) throw new Error(`no line of metrics: ${line}`);
    const [, name = '', labels = '', value = ''] = sample;
    const histogram = metrics.get(name.replace(/_(?:bucket|sum|count)$/, ''));
    if (metrics.get(name) === undefined && histogram?.type === 'histogram') {
      const part = { ...labelsIn(labels), '': name.slice(name.lastIndexOf('_') + 1) };
      histogram.samples.push({ labels: part, value: numberOf(value) });
      continue;
    }
    const metric = metrics.get(name);
    if (metric === undefined) throw new Error(`${name} has no type`);
    metric.samples.push({ labels: labelsIn(labels), value: numberOf(value) });
  }
  return metrics;
}

function labelsIn(text: string): Record<string, string> {
  const pairs = [...text.matchAll(new RegExp(LABEL, 'g'))].map(([pair]) => {
    const equals = pair.indexOf('=');
    return [pair.slice(0, equals), unescaped(pair.slice(equals + 2, -1))] as const;
  });
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) throw new Error(`one label twice: ${text}`);
  return Object.fromEntries(pairs);
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, (_, character: string) => (character === 'n' ? '\n' : character));
}

function numberOf(text: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY;
  if (text === '-Inf') return Number.NEGATIVE_INFINITY;
  const value = Number(text);
  if (Number.isNaN(value) && text !== 'NaN') throw new Error(`no number: ${text}`);
  return value;
}
