import { boolean, count, httpUrl, nullable, object, oneOf, optional, type Shape, string } from './checks.ts';
import { headerName } from './outgoing-shape.ts';

const share = (value: unknown): string | undefined =>
  typeof value === 'number' && value >= 0 && value <= 1 ? undefined : 'is not a number from 0 to 1';

/** `telemetry` of a gateway or registry server. */
export const TELEMETRY: Shape = {
  serviceName: string,
  serviceVersion: nullable(string),
  attributes: object,
  environmentVariables: [string],
  useLegacyAttributes: boolean,
  metricsOnMainPort: boolean,
  metricsPort: nullable(count),
  otlp: nullable({
    protocol: oneOf('http/protobuf', 'grpc'),
    endpoint: httpUrl,
    headers: [{ name: headerName, value: { type: oneOf('text', 'secret') } }],
    caPem: optional(string),
    caFile: optional(string),
    samplingRate: nullable(share),
    metrics: boolean,
  }),
};
