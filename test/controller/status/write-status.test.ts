/** The status writer against an API server: what it sends, what stays unchanged, and objects that were deleted meanwhile. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createKubeClient, type DisposableKubeClient, type KubeObject } from '../../../controller/kube/index.ts';
import { computeGatewayStatus, selectOwnGatewayStatus, writeStatus } from '../../../controller/status/index.ts';
import { crds, type KubeApi, startKubeApi, TOKEN } from '../../support/kube-api/index.ts';
import { StatusInvariants } from '../../support/status-invariants.ts';

const CRDS = crds();
const KEY = { apiVersion: 'lintel.dev/v1beta1', kind: 'VirtualMCPServer', namespace: 'a', name: 'eng' };
const SPEC = { groupRef: { name: 'tools' }, incomingAuth: { type: 'anonymous' } } as const;
const OBJECT = { apiVersion: KEY.apiVersion, kind: KEY.kind, metadata: { name: 'eng', namespace: 'a' }, spec: SPEC };

let api: KubeApi;
let client: DisposableKubeClient;

beforeEach(async () => {
  api = await startKubeApi({ crds: CRDS, namespaces: ['a'] });
  client = createKubeClient(
    {
      server: api.url,
      namespace: 'a',
      isInsecure: false,
      warnings: [],
      authorities: async () => undefined,
      credentials: async () => ({ authorization: `Bearer ${TOKEN}` }),
      forget() {},
    },
    { userAgent: 'test' },
  );
  api.put(OBJECT);
});

afterEach(async () => {
  await client.close();
  await api[Symbol.asyncDispose]();
});

const stored = () => api.get(KEY) as KubeObject;

test('the controller writes a status once, by a server-side apply of the status subresource', async () => {
  const status = { phase: 'Ready', message: 'm', observedGeneration: 1 };
  const first = await writeStatus(client, stored(), status);
  expect(first).toMatchObject({ outcome: 'written', object: { status } });
  expect(api.writes()).toMatchObject([{ verb: 'apply', manager: 'lintel-status', subresource: 'status', status: 200 }]);
  expect(stored()).toMatchObject({ spec: SPEC, status });
  const second = await writeStatus(client, stored(), { ...status });
  expect(second.outcome).toBe('unchanged');
  expect(api.writes()).toHaveLength(1);
});

test('the controller removes status fields that it no longer sets', async () => {
  await writeStatus(client, stored(), { phase: 'Failed', message: 'm', oidcConfigHash: 'x' });
  await writeStatus(client, stored(), { phase: 'Ready' });
  expect(stored().status).toEqual({ phase: 'Ready' });
});

test('the controller keeps conditions of other controllers in a status, and writes nothing when only such conditions have changed', async () => {
  const facts = {
    generation: 1,
    now: new Date('2026-01-01T00:00:00Z'),
    url: 'http://vmcp-eng.a.svc.cluster.local:4483',
    compiled: undefined,
    unit: { kind: 'gateway', namespace: 'a', name: 'eng', digest: `sha256:${'a'.repeat(64)}` },
    deployment: undefined,
    pods: [],
    spec: SPEC,
  } as const;
  const ours = selectOwnGatewayStatus as (status: object) => object;
  const desired = () => computeGatewayStatus(facts, { observedGeneration: 1, ...(stored().status as object) });
  await writeStatus(client, stored(), desired(), { ours });
  const audited = {
    type: 'example.com/Audited',
    status: 'True',
    reason: 'Fine',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  await client.apply(
    { ...OBJECT, spec: undefined, status: { conditions: [audited] } },
    { fieldManager: 'auditor', subresource: 'status' },
  );
  const types = () =>
    (stored().status as { conditions: { type: string }[] }).conditions.map(({ type }) => type).toSorted();
  expect(types()).toEqual(['BundleActive', 'Ready', 'example.com/Audited']);
  expect((await writeStatus(client, stored(), desired(), { ours })).outcome).toBe('unchanged');
  const deployed = computeGatewayStatus({ ...facts, deployment: { replicas: 0 } }, stored().status as object);
  expect((await writeStatus(client, stored(), deployed, { ours })).outcome).toBe('written');
  expect(types()).toEqual(['BundleActive', 'Ready', 'example.com/Audited']);
  const invariants = new StatusInvariants();
  invariants.see(stored());
  expect(invariants.violations).toEqual([]);
});

describe('objects that are gone meanwhile', () => {
  test('the controller writes no status for a deleted object', async () => {
    const object = stored();
    api.remove(KEY);
    expect(await writeStatus(client, object, { phase: 'Ready' })).toEqual({ outcome: 'gone' });
    expect(api.get(KEY)).toBeUndefined();
  });

  test('the controller writes no status for an object that was created again under the same name', async () => {
    const object = stored();
    api.remove(KEY);
    api.put(OBJECT);
    expect(await writeStatus(client, object, { phase: 'Ready' })).toEqual({ outcome: 'gone' });
    expect(stored().status).toBeUndefined();
  });

  test('the controller treats a forbidden status write as an error, not as a sign that the object was deleted', async () => {
    api.authorize = () => false;
    await expect(writeStatus(client, stored(), { phase: 'Ready' })).rejects.toMatchObject({ failure: 'forbidden' });
  });

  test('the controller treats a conflict of a status write as an error, not as a sign that the object was deleted', async () => {
    api.faults.next({ verb: 'apply' }, { status: 409 });
    await expect(writeStatus(client, stored(), { phase: 'Ready' })).rejects.toMatchObject({ failure: 'conflict' });
  });
});
