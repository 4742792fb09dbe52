/** What a bare proxy can do for each call besides forwarding it; see bare-proxy.mjs. */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';

const BATCH_MS = 50;

/** @returns a function that the proxy runs for each call before it forwards it, and that may return headers to add; undefined without an option */
export async function openExtra(args) {
  const value = name => args.find(arg => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
  const [file, redis, collector, bus] = ['record', 'redis', 'traces', 'bus'].map(value);
  if (file !== undefined) return recordTo(file);
  if (redis !== undefined) return await scriptIn(redis);
  if (collector !== undefined) return await traceTo(collector);
  if (bus !== undefined) return await readMessagesOf(bus);
  return undefined;
}

function recordTo(file) {
  const stream = createWriteStream(file);
  let lines = [];
  setInterval(() => {
    if (lines.length > 0) stream.write(`${lines.join('\n')}\n`);
    lines = [];
  }, BATCH_MS).unref();
  return (req, res, { method, params: { name } }) => {
    const startedAt = performance.now();
    res.once('finish', () => {
      const record = {
        level: 'AUDIT',
        audit_id: randomUUID(),
        logged_at: new Date().toISOString(),
        source: { type: 'network', value: req.socket.remoteAddress, user_agent: req.headers['user-agent'] },
        target: { endpoint: req.url, method, name },
        metadata: { duration_ms: performance.now() - startedAt, http_status: res.statusCode },
      };
      lines.push(JSON.stringify(record));
    });
  };
}

/** Increments two counters, which costs Redis as much as the two buckets of a rate limit. */
const SCRIPT = `
local first = redis.call('INCR', KEYS[1])
local second = redis.call('INCR', KEYS[2])
return { first, second }`;

async function scriptIn(address) {
  const { Redis } = await import('ioredis');
  const [host, port] = address.split(':');
  const redis = new Redis({ host, port: Number(port), enableAutoPipelining: true });
  redis.defineCommand('count', { numberOfKeys: 2, lua: SCRIPT });
  return (_req, _res, { params: { name } }) => redis.count('{bare}:all', `{bare}:${name}`).then(() => undefined);
}

/** How long a read waits for a message, and how old the last read may be; milliseconds. Both are those of the gateway. */
const BLOCK_MS = 300;
const MAX_STALE_MS = 1_000;

/** Reads the messages of other replicas for as long as the proxy runs. A call only tests how old the last read is. */
async function readMessagesOf(address) {
  const { Redis } = await import('ioredis');
  const [host, port] = address.split(':');
  const redis = new Redis({ host, port: Number(port) });
  let readAt = 0;
  const read = async () => {
    const askedAt = performance.now();
    await redis.xread('BLOCK', BLOCK_MS, 'STREAMS', 'all replicas', 'this replica', '0', '0');
    readAt = askedAt;
  };
  const readOn = async () => {
    for (;;) await read();
  };
  await read();
  void readOn();
  return () => {
    if (performance.now() - readAt > MAX_STALE_MS)
      throw new Error('the messages of other replicas were not read in time');
  };
}

async function traceTo(url) {
  const { context, SpanKind, trace } = await import('@opentelemetry/api');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto');
  const sdk = await import('@opentelemetry/sdk-trace');
  const provider = new sdk.TracerProvider({
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(0.05) }),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter({ url: `${url}/v1/traces` }))],
  });
  const tracer = provider.getTracer('bare');
  return (_req, res, { method, params: { name } }) => {
    const served = tracer.startSpan(`${method} ${name}`, { kind: SpanKind.SERVER }, context.active());
    const parent = trace.setSpan(context.active(), served);
    const sent = tracer.startSpan(`${method} ${name}`, { kind: SpanKind.CLIENT }, parent);
    const { traceId, spanId, traceFlags } = sent.spanContext();
    res.once('finish', () => {
      sent.end();
      served.end();
    });
    return { traceparent: `00-${traceId}-${spanId}-0${traceFlags}` };
  };
}
