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
    'is as before',
    [condition('Ready', 'True', 'AllBackendsRoutable')],
    condition('Ready', 'True', 'AllBackendsRoutable'),
    [],
  ],
  [
    'has another reason',
    [condition('Ready', 'False', 'BackendsUnknown')],
    condition('Ready', 'False', 'NoRoutableBackends'),
    ['Warning NoRoutableBackends Ready: why'],
  ],
  ['is on its way', [], condition('Ready', 'False', 'RolloutProgressing'), ['Normal RolloutProgressing Ready: why']],
  ['is about details', [], condition('BackendsDiscovered', 'True', 'BackendsDiscovered'), []],
  [
    'names an EmbeddingServer that is not there',
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
    'says that a pod template is wrong',
    undefined,
    condition('PodTemplateSpecValid', 'False', 'InvalidPodTemplateSpec'),
    ['Warning InvalidPodTemplateSpec PodTemplateSpecValid: why'],
  ],
  [
    'says that policies are gone',
    [condition('AuthConfigured', 'True', 'AuthValid')],
    condition('AuthConfigured', 'False', 'AuthzConfigMapNotFound'),
    ['Warning AuthzConfigMapNotFound AuthConfigured: why'],
  ],
  [
    'says that policies are there again',
    [condition('AuthConfigured', 'False', 'AuthzConfigMapInvalid')],
    condition('AuthConfigured', 'True', 'AuthValid'),
    ['Normal AuthValid AuthConfigured: why'],
  ],
  ['says that nothing was wrong', undefined, condition('AuthConfigured', 'True', 'AuthValid'), []],
])('a condition that %s', (_, before, now, events) => {
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
  ['a server', withServer, []],
  ['a URL', withUrl, ['Warning EmbeddingServiceManual']],
  ['a primary upstream at its former place', withFormerPlace, ['Warning AuthzPrimaryUpstreamProviderDeprecated']],
  ['both', { ...withUrl, ...withServer }, ['Warning EmbeddingServiceOverridden']],
])('a spec with %s, once', (_, more, reasons) => {
  const spec = { ...SPEC, ...more };
  const reasonsOf = (before: number | undefined) =>
    listStatusEvents(before === undefined ? undefined : statusOf(before), statusOf(2), spec).map(
      ({ type, reason }) => `${type} ${reason}`,
    );
  expect([undefined, 1, 2].map(reasonsOf)).toEqual([reasons, reasons, []]);
});
