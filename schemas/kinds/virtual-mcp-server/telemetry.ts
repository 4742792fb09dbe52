import { type TObject, Type } from 'typebox';
import { UNIT_INTERVAL } from '../blocks.ts';
import { fields, record } from '../define.ts';

export const telemetry: TObject = fields(
  'ConfigTelemetry',
  {
    endpoint: Type.Optional(
      Type.String({
        description:
          'URL of the OTLP collector, or `host:port`: port 4317 is OTLP over gRPC, any other over HTTP. Default: `http://localhost:4318`.',
      }),
    ),
    insecure: Type.Optional(
      Type.Boolean({ default: false, description: 'Use http instead of https toward the collector.' }),
    ),
    headers: Type.Optional(
      record(Type.String(), { description: 'Headers for the collector. The values are stored in plain text.' }),
    ),
    caCertPath: Type.Optional(
      Type.String({ description: 'PEM file with certificate authorities to trust for the collector.' }),
    ),
    serviceName: Type.Optional(
      Type.String({ description: 'Name of the service in traces and metrics. Default: the name of the server.' }),
    ),
    serviceVersion: Type.Optional(
      Type.String({ description: 'Version of the service in traces and metrics. Default: the version of Lintel.' }),
    ),
    tracingEnabled: Type.Optional(Type.Boolean({ default: false, description: 'Send traces.' })),
    samplingRate: Type.Optional(
      Type.String({
        ...UNIT_INTERVAL,
        default: '0.05',
        description: 'Share of requests that are traced, from 0.0 to 1.0.',
      }),
    ),
    metricsEnabled: Type.Optional(Type.Boolean({ default: false, description: 'Send metrics to the collector.' })),
    enablePrometheusMetricsPath: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Serve Prometheus metrics at `/metrics` of the main port, without a token.',
      }),
    ),
    prometheusPort: Type.Optional(
      Type.Integer({
        description: 'TCP port of a separate listener for Prometheus metrics. Absent: no separate listener.',
      }),
    ),
    metricsOnTransportPort: Type.Optional(
      Type.Boolean({
        description:
          'Whether the main port serves Prometheus metrics; `false` leaves them to `prometheusPort`. Default: true.',
      }),
    ),
    customAttributes: Type.Optional(
      record(Type.String(), { description: 'Resource attributes on all traces and metrics.' }),
    ),
    environmentVariables: Type.Optional(
      Type.Array(Type.String(), { description: 'Names of environment variables whose values become span attributes.' }),
    ),
    useLegacyAttributes: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'Emit the older attribute names together with the current ones. The default will become false.',
      }),
    ),
  },
  {
    deprecated: true,
    description: 'Telemetry of a gateway outside a cluster. In a cluster use `spec.telemetryConfigRef` instead.',
  },
);
