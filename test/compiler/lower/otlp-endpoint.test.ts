import { expect, test } from 'vitest';
import { lowerOtlpEndpoint } from '../../../compiler/lower/otlp-endpoint.ts';

test.each([
  [undefined, false, 'http/protobuf', 'http://localhost:4318'],
  ['', false, 'http/protobuf', 'http://localhost:4318'],
  ['otel:4318', false, 'http/protobuf', 'https://otel:4318'],
  ['otel:4318', true, 'http/protobuf', 'http://otel:4318'],
  ['otel:4317', false, 'grpc', 'https://otel:4317'],
  ['otel:4317', true, 'grpc', 'http://otel:4317'],
  ['http://otel:4317/ignored', false, 'grpc', 'http://otel:4317'],
  ['https://otel.example.com', false, 'http/protobuf', 'https://otel.example.com'],
  ['https://otel.example.com/otlp/', false, 'http/protobuf', 'https://otel.example.com/otlp'],
  ['https://otel.example.com', true, 'http/protobuf', 'http://otel.example.com'],
  ['otel:443', true, 'http/protobuf', 'http://otel:443'],
  ['otel:80', false, 'http/protobuf', 'https://otel:80'],
  ['[::1]:4317', true, 'grpc', 'http://[::1]:4317'],
] as const)(
  'the telemetry endpoint %s with insecure %s is compiled to %s at %s',
  (written, isInsecure, protocol, endpoint) => {
    expect(lowerOtlpEndpoint(written, isInsecure)).toEqual({ protocol, endpoint });
  },
);
