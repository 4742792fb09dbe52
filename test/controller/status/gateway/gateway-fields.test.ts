/** The fields of a gateway's status besides phase and conditions, and which parts of a status are kept. */
import { describe, expect, test } from 'vitest';
import type { VirtualMCPServerStatus } from '#schemas';
import { areStatusesEqual, computeGatewayStatus, selectOwnGatewayStatus } from '../../../../controller/status/index.ts';
import { at, backend, COMPILED, condition, ERROR, NEW, OLD, pod, serving, statusInput } from './status-input.ts';

describe('the other fields', () => {
  test('the status of a gateway has its URL, the number of backends, its generation, the config hashes and the discovered backends', () => {
    const compiled = {
      ...COMPILED,
      configHashes: { MCPOIDCConfig: 'sha256:o', MCPAuthzConfig: 'sha256:z', MCPTelemetryConfig: 'sha256:t' },
      backends: [{ name: 'b0', url: 'https://api.example.com/mcp', authType: 'unauthenticated' }],
    };
    expect(
      computeGatewayStatus(
        statusInput({ generation: 7, compiled, pods: serving('unauthenticated', 'degraded', 'ready') }),
      ),
    ).toMatchObject({
      url: 'http://vmcp-eng.a.svc.cluster.local:4483',
      backendCount: 2,
      observedGeneration: 7,
      oidcConfigHash: 'sha256:o',
      authzConfigHash: 'sha256:z',
      telemetryConfigHash: 'sha256:t',
      discoveredBackends: [{ name: 'b0', url: 'https://api.example.com/mcp' }, { name: 'b1' }, { name: 'b2' }],
    });
  });

  test('the status keeps the backends of a gateway while its newest spec is broken', () => {
    const backends = [{ name: 'b0', url: 'https://api.example.com/mcp', authType: 'unauthenticated' }];
    const before = computeGatewayStatus(statusInput({ compiled: { ...COMPILED, backends }, pods: serving('ready') }));
    const broken = { ...COMPILED, digest: null, diagnostics: [ERROR], backends: [], statusReportingIntervalMs: 0 };
    const later = [{ ...backend('ready', 'b0'), lastHealthCheck: '2026-01-01T00:00:09Z' }];
    const after = computeGatewayStatus(statusInput({ compiled: broken, pods: [pod({ backends: later })] }), before);
    expect(after.discoveredBackends).toEqual(before.discoveredBackends);
  });

  test('the status of a gateway drops the hash of a config object that the gateway no longer references', () => {
    const before = computeGatewayStatus(
      statusInput({ compiled: { ...COMPILED, configHashes: { MCPOIDCConfig: 'sha256:o' } } }),
    );
    expect(before.oidcConfigHash).toBe('sha256:o');
    expect(computeGatewayStatus(statusInput(), before)).not.toHaveProperty('oidcConfigHash');
  });

  test('the condition Degraded of a gateway names the degraded backends, and is absent when no backend is degraded', () => {
    const degraded = computeGatewayStatus(statusInput({ pods: serving('ready', 'degraded') }));
    expect(condition(degraded, 'Degraded')).toBe('True BackendsDegraded: b1');
    expect(
      condition(computeGatewayStatus(statusInput({ pods: serving('ready', 'ready') }), degraded), 'Degraded'),
    ).toBeUndefined();
  });

  test('the status of a gateway lists only the backends of pods with the new bundle as soon as one pod serves the new bundle', () => {
    const pods = [
      pod({ name: 'p1', digest: OLD, backends: [backend('unavailable', 'former')] }),
      pod({ name: 'p2', digest: NEW, backends: [backend('ready', 'api')] }),
    ];
    expect(computeGatewayStatus(statusInput({ pods })).discoveredBackends?.map(({ name }) => name)).toEqual(['api']);
  });
});

describe('after a restart, before anything was compiled', () => {
  const compiled = {
    ...COMPILED,
    digest: null,
    isGood: false,
    diagnostics: [ERROR],
    configHashes: { MCPOIDCConfig: 'sha256:o' },
    backends: [{ name: 'b0', url: 'https://api.example.com/mcp', authType: 'token_exchange', authConfigRef: 'x' }],
  };
  const before = computeGatewayStatus(statusInput({ compiled, pods: serving('ready') }));

  test('until it has compiled, a restarted controller keeps the conditions about the spec and updates the status from the pods', () => {
    const after = computeGatewayStatus(statusInput({ compiled: undefined, pods: serving('unavailable') }), before);
    const types = (status: VirtualMCPServerStatus) => status.conditions?.map(({ type }) => type);
    expect(types(after)).toEqual(types(before));
    expect(condition(after, 'Valid')).toBe(condition(before, 'Valid'));
    expect(after).toMatchObject({
      phase: 'Failed',
      oidcConfigHash: 'sha256:o',
      discoveredBackends: [
        { name: 'b0', url: 'https://api.example.com/mcp', authConfigRef: 'x', status: 'unavailable' },
      ],
    });
  });

  test('a restarted controller leaves the status of a gateway unchanged until it has compiled the current generation of the gateway', () => {
    expect(computeGatewayStatus(statusInput({ compiled: undefined, generation: 2 }), before)).toEqual(before);
    expect(computeGatewayStatus(statusInput({ compiled: undefined }), {})).toEqual({});
  });
});

test('the controller finds the status of a gateway unchanged after a commit that does not change the gateway', () => {
  const before = computeGatewayStatus(statusInput({ pods: serving('ready') }));
  const later = statusInput({
    now: at(59),
    compiled: { ...COMPILED, revision: 'main@sha1:2' },
    pods: serving('ready'),
  });
  expect(areStatusesEqual(computeGatewayStatus(later, before), before)).toBe(true);
});

test('the controller does not write conditions of other controllers', () => {
  const other = { ...(computeGatewayStatus(statusInput()).conditions?.[0] as object), type: 'example.com/Audited' };
  const live = {
    ...computeGatewayStatus(statusInput()),
    conditions: [...(computeGatewayStatus(statusInput()).conditions ?? []), other],
  } as VirtualMCPServerStatus;
  const desired = computeGatewayStatus(statusInput(), live);
  expect(desired.conditions?.map(({ type }) => type)).not.toContain('example.com/Audited');
  expect(areStatusesEqual(selectOwnGatewayStatus(live), desired)).toBe(true);
});
