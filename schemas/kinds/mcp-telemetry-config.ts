import { Type } from 'typebox';
import { caBundleRef, conditions, configHash, observedGeneration, secretKeyRef, UNIT_INTERVAL } from './blocks.ts';
import { ageColumn, validColumn } from './columns.ts';
import { fields, type KindDefinition, listMap, record, refined } from './define.ts';

const sensitiveHeader = fields(
  'SensitiveHeader',
  {
    name: Type.String({ minLength: 1, description: 'Name of the header.' }),
    secretKeyRef: refined(secretKeyRef, { description: 'Secret with the value of the header.' }),
  },
  { description: 'A header whose value comes from a Secret.' },
);

const openTelemetry = fields(
  'OpenTelemetryConfig',
  {
    enabled: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Send traces and metrics to the collector. `false` turns both off.',
      }),
    ),
    endpoint: Type.Optional(
      Type.String({
        description:
          'OTLP collector, `host:port` or a URL: port 4317 is OTLP over gRPC, any other over HTTP. Needs `tracing` or `metrics` switched on as well. Default: `http://localhost:4318`.',
      }),
    ),
    insecure: Type.Optional(
      Type.Boolean({ default: false, description: 'Use http instead of https toward the collector.' }),
    ),
    headers: Type.Optional(
      record(Type.String(), {
        description: 'Headers for the collector, stored in plain text. For credentials, use `sensitiveHeaders`.',
      }),
    ),
    sensitiveHeaders: Type.Optional(
      listMap(sensitiveHeader, ['name'], { description: 'Headers for the collector whose values are secret.' }),
    ),
    resourceAttributes: Type.Optional(
      record(Type.String(), { description: 'Resource attributes on all traces and metrics.' }),
    ),
    metrics: Type.Optional(
      fields(
        'OpenTelemetryMetrics',
        { enabled: Type.Optional(Type.Boolean({ default: false, description: 'Send metrics to the collector.' })) },
        { description: 'Metrics over OTLP.' },
      ),
    ),
    tracing: Type.Optional(
      fields(
        'OpenTelemetryTracing',
        {
          enabled: Type.Optional(Type.Boolean({ default: false, description: 'Send traces to the collector.' })),
          samplingRate: Type.Optional(
            Type.String({
              ...UNIT_INTERVAL,
              default: '0.05',
              description: 'Share of requests that are traced, from 0 to 1.',
            }),
          ),
        },
        { description: 'Traces over OTLP.' },
      ),
    ),
    useLegacyAttributes: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'Emit the older attribute names together with the current ones. The default will become false.',
      }),
    ),
    caBundleRef: Type.Optional(
      refined(caBundleRef, {
        description: 'Certificate authorities to trust for the collector; cannot be combined with `insecure`.',
      }),
    ),
  },
  {
    description: 'Traces and metrics over OTLP.',
    rules: [
      {
        rule: '!has(self.headers) || !has(self.sensitiveHeaders) || self.sensitiveHeaders.all(h, !(h.name in self.headers))',
        message: 'a header is in both headers and sensitiveHeaders: keep it in one of them',
      },
    ],
  },
);

export const mcpTelemetryConfig: KindDefinition = {
  kind: 'MCPTelemetryConfig',
  plural: 'mcptelemetryconfigs',
  singular: 'mcptelemetryconfig',
  shortNames: ['mcpotel'],
  description: 'Telemetry settings: where traces and metrics are sent. Several servers can refer to this object.',
  specRequired: false,
  printerColumns: [
    { name: 'Endpoint', type: 'string', jsonPath: '.spec.openTelemetry.endpoint' },
    validColumn,
    { name: 'Tracing', type: 'boolean', jsonPath: '.spec.openTelemetry.tracing.enabled' },
    { name: 'Metrics', type: 'boolean', jsonPath: '.spec.openTelemetry.metrics.enabled' },
    ageColumn,
  ],
  spec: fields(
    'MCPTelemetryConfigSpec',
    {
      openTelemetry: Type.Optional(openTelemetry),
      prometheus: Type.Optional(
        fields(
          'PrometheusConfig',
          {
            enabled: Type.Optional(
              Type.Boolean({ default: false, description: 'Serve Prometheus metrics at `/metrics`.' }),
            ),
          },
          { description: 'Metrics for Prometheus to fetch.' },
        ),
      ),
    },
    { description: 'Desired telemetry settings.' },
  ),
  status: fields(
    'MCPTelemetryConfigStatus',
    { configHash, observedGeneration, conditions },
    { description: 'Observed state of the telemetry settings.' },
  ),
};
