import { type TSchema, Type } from 'typebox';
import { fields, freeForm } from '../kinds/define.ts';

const flag = (description: string): TSchema => Type.Optional(Type.Boolean({ default: false, description }));
const text = (description: string): TSchema => Type.Optional(Type.String({ description }));

/** Accepted so that existing files can be read; this server has no database. */
export const database: TSchema = freeForm({
  type: 'object',
  description:
    "Connection to a database. It has no effect, because Lintel's registry server stores nothing in a database.",
});

/** Traces and metrics. */
export const telemetry: TSchema = fields(
  'RegistryTelemetry',
  {
    enabled: flag('Whether traces and metrics are sent at all.'),
    serviceName: text('Name of the service in traces and metrics. Default: `lintel-registry-api`.'),
    serviceVersion: text('Version of the service in traces and metrics. Default: the version of Lintel.'),
    endpoint: text(
      '`host:port` of the collector, or a URL: port 4317 is OTLP over gRPC, any other over HTTP. Default: `http://localhost:4318`.',
    ),
    insecure: flag('Use http instead of https toward the collector.'),
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
              description:
                'Share of requests that are traced, from 0 to 1. A request whose caller sends a sampling decision follows that decision.',
            }),
          ),
        },
        { description: 'Traces.' },
      ),
    ),
    metrics: Type.Optional(
      fields(
        'RegistryMetrics',
        {
          enabled: flag(
            'Whether metrics are sent to the collector. `/metrics` on the internal address always serves them.',
          ),
        },
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
    logFile: text('Path of the audit log. Empty: standard output.'),
    eventTypes: eventTypes('Types of events to write. Empty: all types.'),
    excludeEventTypes: eventTypes('Types of events to leave out, even if `eventTypes` names them.'),
    includeRequestData: flag('Whether events contain request bodies.'),
    maxDataSize: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_048_576,
        description: 'Maximum size of a recorded body, in bytes; longer bodies are cut. 0 means 1024.',
      }),
    ),
  },
  { description: 'Audit events.' },
);
