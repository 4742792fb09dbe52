/** The specs of constructs for sessions and telemetry pass the compiler's strictest profile. */
import { describe, expect, test } from 'vitest';
import { CaBundle, Sessions, Telemetry } from '../../../../compiler/cdk8s/index.ts';
import { gatewayWith, SECRET } from './gateway-with.ts';

describe('sessions and telemetry', () => {
  test('Sessions.memory and Sessions.redis write spec.sessionStorage of the gateway', () => {
    expect(gatewayWith({ sessions: Sessions.memory() }).serious).toEqual([]);
    const sessions = Sessions.redis({ address: 'redis:6379', db: 1, keyPrefix: 'eng:', password: SECRET });
    const { serious, spec } = gatewayWith({ sessions });
    expect(serious).toEqual([]);
    expect(spec('VirtualMCPServer').sessionStorage).toEqual({
      provider: 'redis',
      address: 'redis:6379',
      db: 1,
      keyPrefix: 'eng:',
      passwordRef: { name: 'keys', key: 'one' },
    });
  });

  test('Sessions.redis with sentinels writes spec.sessionStorage of the gateway', () => {
    const sessions = Sessions.redis({
      sentinels: { masterName: 'main', sentinelService: { name: 'sentinels', namespace: 'cache' }, db: 1 },
      password: SECRET,
      tls: {},
      sentinelTls: { caCertSecretRef: SECRET },
    });
    const { serious, spec } = gatewayWith({ sessions });
    expect(serious).toEqual([]);
    expect(spec('VirtualMCPServer').sessionStorage).toEqual({
      provider: 'redis',
      sentinelConfig: { masterName: 'main', sentinelService: { name: 'sentinels', namespace: 'cache' }, db: 1 },
      passwordRef: { name: 'keys', key: 'one' },
      tls: {},
      sentinelTls: { caCertSecretRef: { name: 'keys', key: 'one' } },
    });
  });

  test('the Telemetry construct writes an MCPTelemetryConfig to which the gateway refers', () => {
    const { serious, spec } = gatewayWith({
      telemetry: chart =>
        new Telemetry(chart, 'otel', {
          collector: {
            endpoint: 'https://otel.example.com',
            headers: { 'X-Tenant': 'eng', 'X-Key': SECRET },
            traces: { samplingRate: '0.1' },
            metrics: true,
            caBundle: CaBundle.configMap('corp-ca'),
          },
          prometheus: true,
        }).forService('eng-gateway'),
    });
    expect(serious).toEqual([]);
    expect(spec('VirtualMCPServer').telemetryConfigRef).toEqual({ name: 'otel', serviceName: 'eng-gateway' });
    expect(spec('MCPTelemetryConfig')).toEqual({
      openTelemetry: {
        enabled: true,
        endpoint: 'https://otel.example.com',
        headers: { 'X-Tenant': 'eng' },
        sensitiveHeaders: [{ name: 'X-Key', secretKeyRef: { name: 'keys', key: 'one' } }],
        metrics: { enabled: true },
        tracing: { enabled: true, samplingRate: '0.1' },
        caBundleRef: { configMapRef: { name: 'corp-ca', key: 'ca.crt' } },
      },
      prometheus: { enabled: true },
    });
  });
});
