/**
 * The parts of the OpenTelemetry SDK that the runtime uses, in one module. It is loaded only for a bundle that names a collector; in `dist/` it is
 * a file next to the executable (ADR 0014).
 */
export { credentials, Metadata } from '@grpc/grpc-js';
export { createTraceState, ROOT_CONTEXT, SeverityNumber, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
export { OTLPMetricExporter as GrpcMetricExporter } from '@opentelemetry/exporter-metrics-otlp-grpc';
export { OTLPMetricExporter as HttpMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
export { OTLPTraceExporter as GrpcTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
export { OTLPTraceExporter as HttpTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
export { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
export { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
export { convertLegacyOtlpGrpcOptions, createOtlpGrpcExportDelegate } from '@opentelemetry/otlp-grpc-exporter-base';
export { LogsExporterMetricsHelper, ProtobufLogsSerializer } from '@opentelemetry/otlp-transformer';
export { resourceFromAttributes } from '@opentelemetry/resources';
export { AggregationTemporality, DataPointType } from '@opentelemetry/sdk-metrics';
export { AlwaysOnSampler, TracerProvider } from '@opentelemetry/sdk-trace';
