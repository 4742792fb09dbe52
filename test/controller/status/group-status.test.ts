/** The status of an MCPGroup, as computed and as written. */
import { expect, onTestFinished, test } from 'vitest';
import { GroupMembers } from '../../../controller/cluster/group-members.ts';
import { formatWorkloadKey } from '../../../controller/cluster/workload-status.ts';
import { createKubeClient, type KubeObject } from '../../../controller/kube/index.ts';
import { crds, startKubeApi, TOKEN } from '../../support/kube-api/index.ts';
import { FilledCache } from '../../support/object-cache.ts';
import { StatusInvariants } from '../../support/status-invariants.ts';

const API = 'lintel.dev/v1beta1';
const member = (kind: string, name: string, group: string, namespace = 'team', apiVersion = API): KubeObject => ({
  ...{ apiVersion, kind },
  metadata: { name, namespace },
  spec: { groupRef: { name: group } },
});
const group = (name: string, annotations = { 'lintel.dev/source': 'team/all' } as object): KubeObject => ({
  ...{ apiVersion: API, kind: 'MCPGroup' },
  metadata: { name, namespace: 'team', annotations: annotations as never },
  spec: {},
});

async function started(groups: readonly KubeObject[], members: readonly KubeObject[]) {
  const api = await startKubeApi({ crds: crds(), namespaces: ['team'] });
  onTestFinished(() => api.close());
  const config = {
    ...{ server: api.url, namespace: 'team', isInsecure: false, warnings: [] },
    authorities: async () => undefined,
    credentials: async () => ({ authorization: `Bearer ${TOKEN}` }),
    forget() {},
  };
  const client = createKubeClient(config, { userAgent: 'test' });
  onTestFinished(() => client.close());
  for (const one of groups) api.put(one);
  const stored = (name: string) =>
    api.get({ apiVersion: API, kind: 'MCPGroup', namespace: 'team', name }) as KubeObject;
  const known = new FilledCache(groups.map(({ metadata }) => stored(metadata.name)));
  const caches = { inputs: [known, ...members.map(one => new FilledCache([one]))] };
  let nowMs = Date.parse('2026-11-01T00:00:00Z');
  const writer = new GroupMembers({ client, caches, now: () => (nowMs += 60_000) });
  return { api, writer, stored, known };
}

const signal = AbortSignal.timeout(200_000);

test('the status of an MCPGroup lists its members by name, each once, and only those of its namespace', async () => {
  const { writer, stored } = await started(
    [group('tools')],
    [
      member('MCPServer', 'b', 'tools'),
      member('MCPServer', 'a', 'tools'),
      member('MCPServer', 'a', 'tools', 'team', 'toolhive.stacklok.dev/v1beta1'),
      member('MCPServer', 'c', 'others'),
      member('MCPServer', 'd', 'tools', 'elsewhere'),
      member('MCPRemoteProxy', 'p', 'tools'),
      member('MCPServerEntry', 'e', 'tools'),
      member('MCPToolConfig', 't', 'tools'),
    ],
  );
  await writer.update(formatWorkloadKey(group('tools')), signal);
  expect(stored('tools').status).toMatchObject({
    phase: 'Ready',
    ...{
      servers: ['a', 'b'],
      serverCount: 2,
      remoteProxies: ['p'],
      remoteProxyCount: 1,
      entries: ['e'],
      entryCount: 1,
    },
    observedGeneration: 1,
    conditions: [{ type: 'MCPServersChecked', status: 'True', reason: 'ListMCPServersSucceeded' }],
  });
  expect(new StatusInvariants().see(stored('tools'))).toEqual([]);
});

test('the controller writes an unchanged status of an MCPGroup only once, even while its cache still lacks the first write', async () => {
  const { api, writer, stored } = await started([group('tools')], [member('MCPServer', 'a', 'tools')]);
  await writer.update(formatWorkloadKey(group('tools')), signal);
  const { metadata } = stored('tools');
  await writer.update(formatWorkloadKey(group('tools')), signal);
  expect(stored('tools').metadata.resourceVersion).toBe(metadata.resourceVersion);
  expect(api.writes().filter(({ status }) => status === 200)).toHaveLength(1);
});

test('the controller does not write the status of an MCPGroup that no source applied', async () => {
  const { api, writer } = await started([group('theirs', {})], []);
  await writer.update(formatWorkloadKey(group('theirs')), signal);
  expect([writer.keys, api.writes()]).toEqual([[], []]);
});

test('the controller updates the status of the former and of the new MCPGroup when a server moves from one group to another', async () => {
  const { writer } = await started([group('one'), group('two'), group('three')], []);
  const names = (keys: readonly string[]) => keys.map(key => key.split('/').at(-1));
  expect(names(writer.listKeys(member('MCPServer', 'a', 'two'), member('MCPServer', 'a', 'one')))).toEqual([
    'one',
    'two',
  ]);
  expect(names(writer.listKeys(undefined, member('MCPServerEntry', 'a', 'three')))).toEqual(['three']);
  expect(names(writer.listKeys(group('one'), group('one')))).toEqual(['one']);
  expect(writer.listKeys(member('MCPToolConfig', 'a', 'one'), undefined)).toEqual([]);
});
