/** Of hundreds of gateways, the controller computes the status of only those whose status may have changed. */
import { describe, expect, test } from 'vitest';
import { Caches } from '../../../controller/cluster/caches.ts';
import { WorkloadStatus } from '../../../controller/cluster/workload-status.ts';
import type { CompiledUnit, CompileOutcome } from '../../../controller/compile/index.ts';
import type { KubeObject } from '../../../controller/kube/index.ts';
import { PodReader } from '../../../controller/pods/index.ts';
import { FilledCache } from '../../support/object-cache.ts';

const API = 'lintel.dev/v1beta1';

const gateway = (name: string, source = 'team/all'): KubeObject => ({
  apiVersion: API,
  kind: 'VirtualMCPServer',
  metadata: { name, namespace: 'team', annotations: { 'lintel.dev/source': source } },
});

const source = (digests: { readonly [name: string]: string }): KubeObject => ({
  apiVersion: API,
  kind: 'GatewaySource',
  metadata: { name: 'all', namespace: 'team' },
  status: {
    gateways: Object.entries(digests).map(([name, digest]) => ({ kind: 'gateway', namespace: 'team', name, digest })),
  },
});

const unit = (name: string, more: Partial<CompiledUnit> = {}): CompiledUnit => ({
  kind: 'gateway',
  namespace: 'team',
  name,
  digest: 'sha256:a',
  manifests: [],
  files: [],
  diagnostics: [],
  configHashes: {},
  statusReportingIntervalMs: 30_000,
  backends: [],
  ...more,
});

const outcome = (units: readonly CompiledUnit[], isGood = true): CompileOutcome => ({
  isGood,
  units,
  objects: [],
  diagnostics: [],
  counts: { errors: 0, warnings: 0, hints: 0 },
  digest: 'sha256:b',
  ignored: 0,
  programs: [],
});

function statusOf(objects: readonly KubeObject[]): WorkloadStatus {
  const client = { list: () => Promise.reject(new Error()), watch: () => Promise.reject(new Error()) } as never;
  const caches = new Caches({ client, namespace: undefined, onEvent: () => {} });
  const workloads = [new FilledCache(objects)] as never;
  return new WorkloadStatus({
    client,
    caches: Object.assign(caches, { workloads }),
    pods: new PodReader({ pods: caches.pods }),
    findMemory: () => undefined,
    events: { add: () => {} },
    now: Date.now,
  });
}

const status = statusOf([gateway('a'), gateway('b'), gateway('c', 'team/other')]);
const named = (keys: readonly string[]) => keys.map(key => key.slice(`${API}/VirtualMCPServer/team/`.length));

describe('of a changed GatewaySource', () => {
  const now = source({ a: '1', b: '2' });

  test.each([
    ['a source whose digests stayed the same', source({ a: '1', b: '2' }), []],
    ['a source with a new digest of one gateway', source({ a: '1', b: '1' }), ['b']],
    ['a source with an additional gateway', source({ a: '1' }), ['b']],
    ['a source that was created', undefined, ['a', 'b']],
  ])(
    'the controller updates only the gateways whose digest is new in the status of a changed GatewaySource: %s',
    (_, before, keys) => {
      expect(named(status.listKeysOfChange(now, before))).toEqual(keys);
    },
  );

  test('the controller updates the status of all gateways of a deleted GatewaySource', () => {
    expect(named(status.listKeysOfChange(undefined, now))).toEqual(['a', 'b']);
  });
});

describe('of an outcome', () => {
  const [a, b] = [unit('a'), unit('b')];
  const warned = unit('b', {
    diagnostics: [{ code: 'LNT1000', severity: 'warning', message: 'so so' }],
  });
  const broken = unit('b', { digest: null });

  test.each<[string, CompileOutcome, CompileOutcome | undefined, readonly string[]]>([
    ['the first compilation', outcome([a, b]), undefined, ['a', 'b']],
    ['a compilation with unchanged units', outcome([a, b]), outcome([a, b]), []],
    ['a compilation with a changed unit', outcome([a, unit('b')]), outcome([a, b]), ['b']],
    ['a compilation without a former unit', outcome([a]), outcome([a, b]), ['b']],
    ['a compilation that fails now', outcome([a, b], false), outcome([a, b]), ['a', 'b']],
    ['a compilation with a finding', outcome([a, warned]), outcome([a, warned]), ['b']],
    ['a compilation with a broken unit', outcome([a, broken]), outcome([a, broken]), ['b']],
  ])(
    'after a compilation the controller updates gateways that changed, have a finding or whose source fails: %s',
    (_, now, before, keys) => {
      expect(named(status.listKeysOfOutcome('team/all', now, before))).toEqual(keys);
    },
  );
});
