import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

test.each<[string, string[], string[]]>([
  [
    'an endpoint with traces or metrics',
    [
      object(
        'MCPTelemetryConfig',
        '{ openTelemetry: { endpoint: http://c, tracing: { enabled: true }, insecure: true } }',
      ),
      object(
        'MCPTelemetryConfig',
        '{ openTelemetry: { endpoint: http://c, metrics: { enabled: true }, caBundleRef: { configMapRef: { name: m, key: k } } } }',
      ),
      object('MCPTelemetryConfig', '{ prometheus: { enabled: true } }'),
    ],
    [],
  ],
  [
    'an endpoint without traces and metrics',
    [object('MCPTelemetryConfig', '{ openTelemetry: { endpoint: http://c } }')],
    ['LNT1010 error 4:36 nothing would be sent to the endpoint: enable tracing or metrics'],
  ],
  [
    'a CA bundle for plain http',
    [
      object(
        'MCPTelemetryConfig',
        '{ openTelemetry: { insecure: true, caBundleRef: { configMapRef: { name: m, key: k } } } }',
      ),
    ],
    ['LNT1021 error 4:42 caBundleRef and insecure exclude each other: plain http has no certificate'],
  ],
])('the rule telemetryEndpoint gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('telemetryEndpoint', ...objects)).toEqual(expected);
});
