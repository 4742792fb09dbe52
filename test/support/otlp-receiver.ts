/**
 * An OTLP receiver over HTTP or gRPC on a loopback port. Field numbers are those of the protocol buffers.
 *
 * @see https://github.com/open-telemetry/opentelemetry-proto/tree/v1.7.0/opentelemetry/proto
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Server as GrpcServer, ServerCredentials, status } from '@grpc/grpc-js';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  /** 2 for a server, 3 for a client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 2 for an error. */
  readonly status: number;
  readonly statusMessage: string;
  readonly links: readonly string[];
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface ReceivedPoint {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly value: number;
  /** For a histogram. */
  readonly count: number;
}

export interface ReceivedMetric {
  readonly name: string;
  readonly unit: string;
  readonly type: 'gauge' | 'sum' | 'histogram';
  readonly points: readonly ReceivedPoint[];
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface ReceivedLog {
  readonly body: string;
  /** Nanoseconds since 1970. */
  readonly time: bigint;
  readonly severityText: string;
  readonly eventName: string;
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface OtlpReceiver {
  readonly endpoint: string;
  readonly spans: readonly ReceivedSpan[];
  readonly metrics: readonly ReceivedMetric[];
  readonly logs: readonly ReceivedLog[];
  /** The headers of each export. */
  readonly headers: readonly IncomingHttpHeaders[];
  /** How the receiver answers exports from now on: with `hang` it never responds. */
  behaviour: 'take' | 'refuse' | 'hang';
  close(): Promise<void>;
}

export interface ReceiverOptions {
  readonly protocol: 'http/protobuf' | 'grpc';
  /** By default `localhost`. */
  readonly host?: string;
  readonly port?: number;
  /** PEM; without it, plain text. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

export async function startOtlpReceiver(options: ReceiverOptions): Promise<OtlpReceiver> {
  const receiver = new Receiver();
  await (options.protocol === 'grpc' ? receiver.serveGrpc(options) : receiver.serveHttp(options));
  return receiver;
}

class Receiver implements OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  readonly metrics: ReceivedMetric[] = [];
  readonly logs: ReceivedLog[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  behaviour: OtlpReceiver['behaviour'] = 'take';
  endpoint = '';
  close: () => Promise<void> = async () => {};

  async serveHttp({ host = 'localhost', port = 0, tls }: ReceiverOptions): Promise<void> {
    const open = new Set<ServerResponse>();
    const server = (tls === undefined ? createServer() : createTlsServer(tls)).on('request', (req, res) => {
      open.add(res);
      const chunks: Buffer[] = [];
      req.on('data', chunk => chunks.push(chunk));
      req.on('end', () => {
        this.headers.push(req.headers);
        if (this.behaviour === 'hang') return;
        if (this.behaviour === 'refuse') res.writeHead(400).end();
        else {
          this.take(signalOf(req.url), Buffer.concat(chunks));
          res.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
        }
      });
    });
    await new Promise<void>(resolve => server.listen(port, boundTo(host), resolve));
    this.endpoint = `${tls === undefined ? 'http' : 'https'}://${host}:${(server.address() as AddressInfo).port}`;
    this.close = async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    };
  }

  async serveGrpc({ host = 'localhost', port = 0, tls }: ReceiverOptions): Promise<void> {
    const server = new GrpcServer();
    for (const [signal, path] of [
      ['traces', '/opentelemetry.proto.collector.trace.v1.TraceService/Export'],
      ['metrics', '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export'],
      ['logs', '/opentelemetry.proto.collector.logs.v1.LogsService/Export'],
    ] as const) {
      const bytes = { serialize: (value: Buffer) => value, deserialize: (value: Buffer) => value };
      const method = {
        path,
        requestStream: false,
        responseStream: false,
        requestSerialize: bytes.serialize,
        requestDeserialize: bytes.deserialize,
        responseSerialize: bytes.serialize,
        responseDeserialize: bytes.deserialize,
      } as const;
      server.addService(
        { export: method },
        {
          export: (
            call: { request: Buffer; metadata: { getMap(): object } },
            done: (error: object | null, value?: Buffer) => void,
          ) => {
            this.headers.push(call.metadata.getMap() as IncomingHttpHeaders);
            if (this.behaviour === 'hang') return;
            if (this.behaviour === 'refuse') done({ code: status.INVALID_ARGUMENT });
            else {
              this.take(signal, call.request);
              done(null, Buffer.alloc(0));
            }
          },
        },
      );
    }
    const credentials =
      tls === undefined
        ? ServerCredentials.createInsecure()
        : ServerCredentials.createSsl(null, [{ private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.cert) }]);
    const bound = await new Promise<number>((resolve, reject) =>
      server.bindAsync(`${boundTo(host)}:${port}`, credentials, (error, at) => (error ? reject(error) : resolve(at))),
    );
    this.endpoint = `${tls === undefined ? 'http' : 'https'}://${host}:${bound}`;
    this.close = async () => server.forceShutdown();
  }

  take(signal: Signal, bytes: Buffer): void {
    for (const resourceData of fields(bytes).all(1)) {
      const data = fields(resourceData);
      const resource = attributesIn(fields(data.bytes(1)), 1);
      for (const scope of data.all(2)) {
        for (const item of fields(scope).all(2)) {
          if (signal === 'traces') this.spans.push(spanOf(fields(item), resource));
          else if (signal === 'metrics') this.metrics.push(metricOf(fields(item), resource));
          else this.logs.push(logOf(fields(item), resource));
        }
      }
    }
  }
}

type Signal = 'traces' | 'metrics' | 'logs';

function signalOf(path = ''): Signal {
  const signal = path.slice('/v1/'.length);
  return signal === 'traces' || signal === 'logs' ? signal : 'metrics';
}

function logOf(record: Fields, resource: ReceivedLog['resource']): ReceivedLog {
  return {
    body: fields(record.bytes(5)).text(1),
    time: record.bytes(1).readBigUInt64LE(),
    severityText: record.text(3),
    eventName: record.text(12),
    resource,
  };
}

/** Clients identify a gRPC collector by its port, so each test process has its own address. */
export const GRPC_ADDRESS: Pick<ReceiverOptions, 'host' | 'port'> =
  process.platform === 'linux'
    ? { host: `127.77.${(process.pid >> 8) & 255}.${process.pid & 255 || 1}`, port: 4317 }
    : { port: 4317 };

/** The address on which to listen for a host name. `localhost` may resolve to an address of each family, so it is the IPv4 one. */
function boundTo(host: string): string {
  return host === 'localhost' ? '127.0.0.1' : host;
}

function spanOf(span: Fields, resource: ReceivedSpan['resource']): ReceivedSpan {
  const state = fields(span.bytes(15));
  return {
    traceId: span.bytes(1).toString('hex'),
    spanId: span.bytes(2).toString('hex'),
    traceState: span.text(3),
    parentSpanId: span.bytes(4).toString('hex'),
    name: span.text(5),
    kind: span.number(6),
    attributes: attributesIn(span, 9),
    links: span.all(13).map(link => fields(link).bytes(1).toString('hex')),
    status: state.number(3),
    statusMessage: state.text(2),
    resource,
  };
}

const TYPES = { 5: 'gauge', 7: 'sum', 9: 'histogram' } as const;

function metricOf(metric: Fields, resource: ReceivedMetric['resource']): ReceivedMetric {
  const [number, type] = Object.entries(TYPES).find(([at]) => metric.all(Number(at)).length > 0) ?? ['5', 'gauge'];
  const points = fields(metric.bytes(Number(number))).all(1);
  return {
    name: metric.text(1),
    unit: metric.text(3),
    type: type as ReceivedMetric['type'],
    points: points.map(bytes => {
      const point = fields(bytes);
      const isHistogram = type === 'histogram';
      return {
        attributes: attributesIn(point, isHistogram ? 9 : 7),
        value: isHistogram ? point.double(5) : point.double(4),
        count: isHistogram ? point.fixed(4) : 0,
      };
    }),
    resource,
  };
}

function attributesIn(message: Fields, field: number): Record<string, unknown> {
  return Object.fromEntries(
    message.all(field).map(bytes => {
      const pair = fields(bytes);
      return [pair.text(1), attributeValue(fields(pair.bytes(2)))];
    }),
  );
}

function attributeValue(value: Fields): unknown {
  if (value.all(1).length > 0) return value.text(1);
  if (value.has(2)) return value.number(2) === 1;
  if (value.has(3)) return value.number(3);
  return value.double(4);
}

/** The fields of one message by number. */
class Fields {
  readonly #chunks = new Map<number, Buffer[]>();
  readonly #numbers = new Map<number, number>();

  constructor(bytes: Buffer) {
    let at = 0;
    const varint = (): number => {
      let value = 0;
      for (let shift = 1; ; shift *= 128) {
        const byte = bytes[at++] as number;
        value += (byte & 127) * shift;
        if (byte < 128) return value;
      }
    };
    while (at < bytes.length) {
      const key = varint();
      const field = Math.floor(key / 8);
      switch (key % 8) {
        case 0:
          this.#numbers.set(field, varint());
          break;
        case 1:
          this.#add(field, bytes.subarray(at, at + 8));
          at += 8;
          break;
        case 2: {
          const length = varint();
          this.#add(field, bytes.subarray(at, at + length));
          at += length;
          break;
        }
        case 5:
          this.#add(field, bytes.subarray(at, at + 4));
          at += 4;
          break;
        default:
          throw new Error(`no protobuf: wire type ${key % 8}`);
      }
    }
  }

  #add(field: number, chunk: Buffer): void {
    this.#chunks.set(field, [...(this.#chunks.get(field) ?? []), chunk]);
  }

  has(field: number): boolean {
    return this.#numbers.has(field);
  }

  all(field: number): readonly Buffer[] {
    return this.#chunks.get(field) ?? [];
  }

  bytes(field: number): Buffer {
    return this.all(field).at(-1) ?? Buffer.alloc(0);
  }

  text(field: number): string {
    return this.bytes(field).toString('utf8');
  }

  number(field: number): number {
    return this.#numbers.get(field) ?? 0;
  }

  double(field: number): number {
    const chunk = this.bytes(field);
    return chunk.length === 8 ? chunk.readDoubleLE() : 0;
  }

  fixed(field: number): number {
    const chunk = this.bytes(field);
    return chunk.length === 8 ? Number(chunk.readBigUInt64LE()) : 0;
  }
}

function fields(bytes: Buffer): Fields {
  return new Fields(bytes);
}
