/** The built controller is killed with SIGKILL in the middle of a reconcile; the next one reaches the state of an undisturbed run. */
import { expect, test } from 'vitest';
import { PlayedPods } from '../../support/controller-world/played-pods.ts';
import { gatewayFile } from '../../support/gateway-specs.ts';
import { TestRepository } from '../../support/git-repository.ts';
import { GitServer } from '../../support/git-server.ts';
import { crds, startKubeApi } from '../../support/kube-api/index.ts';
import { eventually, PROGRAM, type Program, start, temporaryFolder } from '../../support/process.ts';
import { TEST_CERTIFICATE } from '../../support/tls-fixture.ts';

const LIMIT_MS = 300_000;
const SOURCE = { apiVersion: 'lintel.dev/v1beta1', kind: 'GatewaySource', namespace: 'team', name: 'gateways' };
const TYPES = [
  ...['ConfigMap', 'Service', 'ServiceAccount'].map(kind => ({ apiVersion: 'v1', kind })),
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
  ...['MCPGroup', 'MCPServerEntry', 'VirtualMCPServer'].map(kind => ({ apiVersion: 'lintel.dev/v1beta1', kind })),
];

/** Writes after which each process is killed: while it applies, while it writes status, and while it waits. */
const LIVES = [1, 3, 9, 17, 5];

interface Status {
  readonly lastAppliedRevision?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  readonly inventory?: { readonly entries: readonly { readonly id: string; readonly uid: string }[] };
}

/** The names of all objects that were created, and of those that were deleted meanwhile, if each process is killed after so many writes. */
async function told(
  lives: readonly number[],
): Promise<{ readonly objects: readonly string[]; readonly deleted: unknown }> {
  await using folder = await temporaryFolder();
  await using api = await startKubeApi({ crds: crds(), namespaces: ['team'] });
  await using git = await GitServer.start({ root: folder.path, isTls: true });
  await using pods = new PlayedPods(api, Date.now);
  const repository = new TestRepository(folder.path, 'gateways.git');
  await folder.write({ kubeconfig: api.kubeconfig() });
  const data = { 'ca.crt': Buffer.from(TEST_CERTIFICATE).toString('base64') };
  api.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'git', namespace: 'team' }, data });

  let program: Program | undefined;
  let left = Number.POSITIVE_INFINITY;
  const open = [...lives];
  const begin = (): void => {
    left = open.shift() ?? Number.POSITIVE_INFINITY;
    program = start(
      PROGRAM.controller,
      [
        ...['--kubeconfig', folder.file('kubeconfig'), '--state-dir', folder.file('state')],
        ...['--metrics-address', '127.0.0.1:0', '--single-tenant'],
      ],
      { limitMs: LIMIT_MS },
    );
  };
  api.onRequest = ({ verb, dryRun, kind }, phase) => {
    if (!['apply', 'patch', 'delete'].includes(verb) || dryRun || kind === 'Event' || phase !== 'after') return;
    left--;
    if (left === 0) program?.kill('SIGKILL');
  };
  const status = () => (api.get(SOURCE)?.status ?? {}) as Status;
  const comesTo = async (files: { readonly [path: string]: string }, request: string): Promise<void> => {
    const commit = repository.commit(files);
    const spec = { url: git.url('gateways.git'), secretRef: { name: 'git' }, interval: '10s' };
    const metadata = { ...api.get(SOURCE)?.metadata, name: 'gateways', namespace: 'team' };
    api.put({ ...SOURCE, metadata: { ...metadata, annotations: { 'lintel.dev/requested-at': request } }, spec });
    await eventually(async () => {
      await pods.settle();
      if (left <= 0) {
        expect(await program?.ending).toBe('signal SIGKILL');
        begin();
      }
      const { lastAppliedRevision, conditions } = status();
      const isReady = conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
      return lastAppliedRevision === `main@sha1:${commit}` && isReady;
    }, LIMIT_MS);
  };

  begin();
  try {
    await comesTo({ 'a.yaml': gatewayFile('a'), 'b.yaml': gatewayFile('b') }, '1');
    await comesTo({ 'a.yaml': gatewayFile('z'), 'b.yaml': gatewayFile('b') }, '2');
  } finally {
    await program?.[Symbol.asyncDispose]();
  }
  const live = TYPES.flatMap(type => api.objects(type, 'team'));
  const uids = live.map(({ metadata }) => metadata.uid).sort();
  expect((status().inventory?.entries ?? []).map(({ uid }) => uid).sort()).toEqual(uids);
  const deleted = api.writes({ verb: 'delete' }).map(({ kind, name }) => `${kind}/${name}`);
  return {
    objects: live.map(({ kind, metadata }) => `${kind}/${metadata.name}`).sort(),
    deleted: [...new Set(deleted)].sort(),
  };
}

test(
  'a controller that is killed repeatedly leaves and deletes the same objects as a controller that is never killed',
  async () => {
    expect(await told(LIVES)).toEqual(await told([]));
  },
  4 * LIMIT_MS,
);
