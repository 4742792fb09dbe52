import { type TSchema, Type } from 'typebox';
import { fields, freeForm } from '../kinds/define.ts';

const flag = (description: string): TSchema => Type.Optional(Type.Boolean({ default: false, description }));
const text = (description: string): TSchema => Type.Optional(Type.String({ description }));

/** Accepted so that existing files can be read; this server has no database. */
export const database: TSchema = freeForm({
  type: 'object',
  description: 'Connection to a database. Has no effect: this server keeps nothing in a database.',
});

/** Traces and metrics. */
export const telemetry: TSchema = fields(
  'RegistryTelemetry',
  {
    enabled: flag('Whether anything is reported.'),
    serviceName: text('Name in traces and metrics. Default: `lintel-registry-api`.'),
    serviceVersion: text('Version in traces and metrics. Default: that of the product.'),
    endpoint: text(
      '`host:port` of the collector, or a URL: port 4317 is OTLP over gRPC, any other over HTTP. Default: `http://localhost:4318`.',
    ),
    insecure: flag('Whether the collector is spoken to without TLS.'),
    tracing: Type.Optional(
      fields(
        'RegistryTracing',
        {
          enabled: flag('Whether traces are sent.'),
          sampling: Type.Optional(
            Type.Number({
              exclusiveMinimum: 0,
              maximum: 1,
              default: 0.05,
              description: 'Share of requests that are traced, unless their callers decide.',
            }),
          ),
        },
        { description: 'Traces.' },
      ),
    ),
    metrics: Type.Optional(
      fields(
        'RegistryMetrics',
        { enabled: flag('Whether metrics are sent. On the internal address, `/metrics` always has them.') },
        { description: 'Metrics.' },
      ),
    ),
  },
  { description: 'Traces and metrics.' },
);

const eventTypes = (description: string): TSchema =>
  Type.Optional(Type.Array(Type.String({ minLength: 1 }), { description }));

/** Audit events. */
export const audit: TSchema = fields(
  'RegistryAudit',
  {
    enabled: flag('Whether audit events are written.'),
    logFile: text('Where to; standard output when empty.'),
    eventTypes: eventTypes('Events that are written; all when empty.'),
    excludeEventTypes: eventTypes('Events that are not written; this wins.'),
    includeRequestData: flag('Whether bodies of requests are part of the event.'),
    maxDataSize: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1_048_576, description: 'Most bytes of a body; 0 means 1024.' }),
    ),
  },
  { description: 'Audit events.' },
);
