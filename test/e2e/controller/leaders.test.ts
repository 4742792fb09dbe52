/** Only one of several controllers acts, whatever happens to it: built processes, each with its own token, and clocks that jump. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { gatewayFile } from '../../support/gateway-specs.ts';
import { TestRepository } from '../../support/git-repository.ts';
import { GitServer } from '../../support/git-server.ts';
import { crds, type KubeApi, type Logged, startKubeApi } from '../../support/kube-api/index.ts';
import {
  eventually,
  PROGRAM,
  type Program,
  start,
  type TemporaryFolder,
  temporaryFolder,
} from '../../support/process.ts';
import { TEST_CERTIFICATE } from '../../support/tls-fixture.ts';

/** Longer than a Lease lasts plus the next attempt to take it, on a busy machine; milliseconds. */
const LIMIT_MS = 60_000;
const LEASE_MS = 15_000;

const SOURCE = { apiVersion: 'lintel.dev/v1beta1', kind: 'GatewaySource', namespace: 'team', name: 'gateways' };

/** The system time jumps one hour forward on one signal, and one hour back on the other. */
const JUMPING_CLOCK = `data:text/javascript,${encodeURIComponent(`
  const Real = Date;
  let ahead = 0;
  globalThis.Date = class extends Real {
    constructor(...given) { if (given.length === 0) super(Real.now() + ahead); else super(...given); }
    static now() { return Real.now() + ahead; }
  };
  process.on('SIGUSR2', () => { ahead = 3_600_000; });
  process.on('SIGWINCH', () => { ahead = -3_600_000; });
`)}`;

let folder: TemporaryFolder;
let api: KubeApi;
let git: GitServer;
let repository: TestRepository;
const programs: Program[] = [];

beforeEach(async () => {
  folder = await temporaryFolder();
  const tokens = Object.fromEntries(['a', 'b', 'c'].map(name => [name, { name, groups: ['system:masters'] }]));
  api = await startKubeApi({ crds: crds(), namespaces: ['team', 'lintel-system'], tokens });
  repository = new TestRepository(folder.path, 'gateways.git');
  git = await GitServer.start({ root: folder.path, isTls: true });
  const data = { 'ca.crt': Buffer.from(TEST_CERTIFICATE).toString('base64') };
  api.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'git', namespace: 'team' }, data });
});

afterEach(async () => {
  for (const program of programs.splice(0)) await program[Symbol.asyncDispose]();
  await git[Symbol.asyncDispose]();
  await api.close();
  await folder[Symbol.asyncDispose]();
});

async function controller(name: string): Promise<Program> {
  await folder.write({ [`kubeconfig-${name}`]: api.kubeconfig(name) });
  const program = start(
    PROGRAM.controller,
    [
      ...['--kubeconfig', folder.file(`kubeconfig-${name}`), '--state-dir', folder.file(`state-${name}`)],
      ...['--metrics-address', '127.0.0.1:0', '--single-tenant'],
      ...['--leader-elect', '--leader-election-namespace', 'lintel-system'],
    ],
    { limitMs: LIMIT_MS, nodeOptions: ['--import', JUMPING_CLOCK] },
  );
  programs.push(program);
  return program;
}

/** All writes of a controller except those of the Lease. */
function writesOf(name: string): readonly Logged[] {
  return api.writes({ when: ({ user, kind }) => user.name === name && kind !== 'Lease' });
}

function renewals(name: string): number {
  return api.writes({ kind: 'Lease', when: ({ user }) => user.name === name }).length;
}

function looks(name: string): number {
  return api.logged({ kind: 'Lease', verb: 'get', when: ({ user }) => user.name === name }).length;
}

async function leads(name: string): Promise<void> {
  await eventually(() => renewals(name) > 0, LIMIT_MS);
}

/** Makes a commit, and waits until the leader has applied it to the cluster. */
async function commits(version: number): Promise<void> {
  const commit = repository.commit({ 'a.yaml': gatewayFile('a', { url: `https://v${version}.example.com/mcp` }) });
  const spec = { url: git.url('gateways.git'), secretRef: { name: 'git' }, interval: '10s' };
  const annotations = { 'lintel.dev/requested-at': String(version) };
  const metadata = { ...api.get(SOURCE)?.metadata, name: 'gateways', namespace: 'team', annotations };
  api.put({ ...SOURCE, metadata, spec });
  const status = () => api.get(SOURCE)?.status as { readonly lastAppliedRevision?: string } | undefined;
  await eventually(() => status()?.lastAppliedRevision === `main@sha1:${commit}`, LIMIT_MS);
}

test(
  'a clock jump does not change the leading controller, and another controller leads at once when the leader stops',
  async () => {
    const a = await controller('a');
    await leads('a');
    const b = await controller('b');
    await eventually(() => looks('b') > 0, LIMIT_MS);
    await commits(1);
    for (const program of [a, b]) {
      for (const signal of ['SIGUSR2', 'SIGWINCH'] as const) {
        program.kill(signal);
        const [renewed, looked] = [renewals('a'), looks('b')];
        await eventually(() => renewals('a') > renewed + 1 && looks('b') > looked + 1, LIMIT_MS);
      }
    }
    await commits(2);
    expect([writesOf('b'), renewals('b')]).toEqual([[], 0]);

    a.kill('SIGTERM');
    expect(await a.exitCode()).toBe(0);
    const written = writesOf('a').length;
    // The holder releases its Lease, so the follower need not wait for its expiry.
    const last = api.writes({ kind: 'Lease', when: ({ user }) => user.name === 'a' }).at(-1);
    expect(JSON.parse(last?.body ?? '{}').spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    await leads('b');
    await commits(3);
    expect(writesOf('a')).toHaveLength(written);
  },
  4 * LIMIT_MS,
);

test(
  'another controller leads when the Lease of a killed leader expires, and a disconnected leader ends before the next one leads',
  async () => {
    const renewed = new Map<string, number>();
    api.onRequest = ({ user, kind, verb }, phase) => {
      if (kind === 'Lease' && verb !== 'get' && phase === 'after') renewed.set(user.name, performance.now());
    };
    const a = await controller('a');
    await leads('a');
    const b = await controller('b');
    await eventually(() => looks('b') > 0, LIMIT_MS);
    await commits(1);
    a.kill('SIGKILL');
    await a.exitCode();
    const last = renewed.get('a') ?? Number.NaN;
    expect(renewals('b')).toBe(0);
    await leads('b');
    // Measured from the follower's first read of it, which is later.
    expect((renewed.get('b') ?? 0) - last).toBeGreaterThan(LEASE_MS - 1);
    await commits(2);

    await controller('c');
    await eventually(() => looks('c') > 0, LIMIT_MS);
    api.faults.each({ when: ({ user }) => user.name === 'b' }, { drop: 'before' });
    let hasEnded = false;
    const ended = b.exitCode().then(code => {
      hasEnded = true;
      return code;
    });
    const endedFirst = new Promise<boolean>(resolve => {
      api.onRequest = ({ user, kind, verb }) => {
        if (user.name === 'c' && kind === 'Lease' && verb !== 'get') resolve(hasEnded);
      };
    });
    expect(await ended).toBe(70);
    expect(await endedFirst).toBe(true);
    await commits(3);
  },
  6 * LIMIT_MS,
);
