import { expect, test } from 'vitest';
import type { Condition, VirtualMCPServerSpec, VirtualMCPServerStatus } from '#schemas';
import { listStatusEvents, type StatusEvent } from '../../../../controller/status/index.ts';

const condition = (type: string, status: Condition['status'], reason: string): Condition => ({
  ...{ type, status, reason, message: 'why' },
  lastTransitionTime: '2026-11-01T00:00:00Z',
});
const statusOf = (observedGeneration: number, ...conditions: Condition[]): VirtualMCPServerStatus => ({
  observedGeneration,
  conditions,
});
const shown = (events: readonly StatusEvent[]) =>
  events.map(({ type, reason, message }) => `${type} ${reason} ${message}`);

test.each<[what: string, before: readonly Condition[] | undefined, now: Condition, events: readonly string[]]>([
  ['is new', undefined, condition('Ready', 'True', 'AllBackendsRoutable'), ['Normal AllBackendsRoutable Ready: why']],
  [
    'is unchanged',
    [condition('Ready', 'True', 'AllBackendsRoutable')],
    condition('Ready', 'True', 'AllBackendsRoutable'),
    [],
  ],
  [
    'has a new reason',
    [condition('Ready', 'False', 'BackendsUnknown')],
    condition('Ready', 'False', 'NoRoutableBackends'),
    ['Warning NoRoutableBackends Ready: why'],
  ],
  ['reports progress', [], condition('Ready', 'False', 'RolloutProgressing'), ['Normal RolloutProgressing Ready: why']],
  ['only reports details', [], condition('BackendsDiscovered', 'True', 'BackendsDiscovered'), []],
  [
    'names a missing EmbeddingServer',
    [],
    condition('EmbeddingServerReady', 'False', 'EmbeddingServerNotFound'),
    ['Warning EmbeddingServerRefNotFound EmbeddingServerReady: why'],
  ],
  [
    'waits for an EmbeddingServer',
    [],
    condition('EmbeddingServerReady', 'False', 'EmbeddingServerNotReady'),
    ['Normal EmbeddingServerNotReady EmbeddingServerReady: why'],
  ],
  [
    'reports an invalid pod template',
    undefined,
    condition('PodTemplateSpecValid', 'False', 'InvalidPodTemplateSpec'),
    ['Warning InvalidPodTemplateSpec PodTemplateSpecValid: why'],
  ],
  [
    'reports missing policies',
    [condition('AuthConfigured', 'True', 'AuthValid')],
    condition('AuthConfigured', 'False', 'AuthzConfigMapNotFound'),
    ['Warning AuthzConfigMapNotFound AuthConfigured: why'],
  ],
  [
    'reports that policies exist again',
    [condition('AuthConfigured', 'False', 'AuthzConfigMapInvalid')],
    condition('AuthConfigured', 'True', 'AuthValid'),
    ['Normal AuthValid AuthConfigured: why'],
  ],
  ['is True from the beginning', undefined, condition('AuthConfigured', 'True', 'AuthValid'), []],
])('the controller emits the right events for a condition that %s', (_, before, now, events) => {
  const then = before && statusOf(1, ...before);
  expect(shown(listStatusEvents(then, statusOf(1, now), undefined))).toEqual(events);
});

const SPEC: VirtualMCPServerSpec = { groupRef: { name: 'tools' }, incomingAuth: { type: 'anonymous' } };
const withUrl = { config: { optimizer: { embeddingService: 'http://e:8080' } } };
const withFormerPlace: Partial<VirtualMCPServerSpec> = {
  incomingAuth: {
    type: 'oidc',
    authzConfig: { type: 'inline', inline: { policies: [], primaryUpstreamProvider: 'company' } },
  },
};
const withServer = { embeddingServerRef: { name: 'mini' } };

test.each<[what: string, more: Partial<VirtualMCPServerSpec>, reasons: readonly string[]]>([
  ['no optimizer', {}, []],
  ['an EmbeddingServer', withServer, []],
  ['a URL of an embedding service', withUrl, ['Warning EmbeddingServiceManual']],
  ['a primary upstream at its deprecated place', withFormerPlace, ['Warning AuthzPrimaryUpstreamProviderDeprecated']],
  ['an EmbeddingServer and a URL', { ...withUrl, ...withServer }, ['Warning EmbeddingServiceOverridden']],
])('the controller emits the warning events about a spec with %s only once for each generation', (_, more, reasons) => {
  const spec = { ...SPEC, ...more };
  const reasonsOf = (before: number | undefined) =>
    listStatusEvents(before === undefined ? undefined : statusOf(before), statusOf(2), spec).map(
      ({ type, reason }) => `${type} ${reason}`,
    );
  expect([undefined, 1, 2].map(reasonsOf)).toEqual([reasons, reasons, []]);
});
