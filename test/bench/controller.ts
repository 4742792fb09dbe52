/**
 * `npm run bench:controller [-- --gateways N] [-- --commits N] [-- --profile FOLDER] [-- --write]`: the built controller (`dist/`) next to plain
 * git and a plain compilation; see README.md.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { compile, readTexts, SourceText } from '#compiler';
import { HOOK_AT_ANNOTATION, VERSION } from '#schemas';
import { TestRepository } from '../support/git-repository.ts';
import { GitServer } from '../support/git-server.ts';
import { ApiClient } from '../support/kube-api/client.ts';
import { crds } from '../support/kube-api/crds.ts';
import { startKubeApi } from '../support/kube-api/index.ts';
import { startKubelet } from '../support/kubelet.ts';
import { PROGRAM, start } from '../support/process.ts';
import { TEST_CERTIFICATE } from '../support/tls-fixture.ts';
import { memoryOfTree } from './controller/process-tree.ts';
import { ServingPods } from './controller/serving-pods.ts';
import { median } from './gateway/median.ts';
import { gatewayTexts, nameNamespace } from './gateways.ts';
import { readImageSettings } from './image-settings.ts';

const { values } = parseArgs({
  options: {
    gateways: { type: 'string', default: '500' },
    commits: { type: 'string', default: '10' },
    write: { type: 'boolean' },
    profile: { type: 'string' },
  },
});
const count = Number(values.gateways);
const commits = Number(values.commits);

const SOURCE = { apiVersion: 'lintel.dev/v1beta1', kind: 'GatewaySource', namespace: 'default', name: 'all' } as const;
const SOURCE_PATH = '/apis/lintel.dev/v1beta1/namespaces/default/gatewaysources/all';
const CYCLES = 3;
const LIMIT_MS = 300_000;

interface SourceStatus {
  readonly lastAppliedRevision?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message: string }[];
}

const folder = await mkdtemp(join(tmpdir(), 'lintel-bench-'));
try {
  const text = await measure();
  process.stdout.write(text);
  if (values.write === true) await writeFile(join(import.meta.dirname, 'controller-results.md'), results(text));
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function measure(): Promise<string> {
  const files = new Map(gatewayTexts(count, { workflows: false }).map(({ file, text }) => [`gateways/${file}`, text]));
  const compiledMs = compileAlone([...files.values()]);
  const repository = new TestRepository(folder, 'gateways.git');
  const commit = () => repository.commit(Object.fromEntries(files));
  commit();
  await using git = await GitServer.start({ root: folder, isTls: true });
  const namespaces = [...new Set(Array.from({ length: count }, (_, number) => nameNamespace(number)))];
  await using api = await startKubeApi({ crds: crds(), namespaces });
  await using _kubelet = startKubelet({ connection: api.connection(), mode: 'simulated' });
  await using pods = new ServingPods();
  const client = new ApiClient(api.connection());
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, api.kubeconfig());
  const metrics = `127.0.0.1:${await freePort()}`;
  api.put({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'git', namespace: 'default' },
    data: { 'ca.crt': Buffer.from(TEST_CERTIFICATE).toString('base64') },
  });
  const following = setInterval(() => void pods.follow(api.objects({ apiVersion: 'v1', kind: 'Pod' })), 100);
  const { nodeOptions, env } = await readImageSettings('controller');
  await using controller = start(
    PROGRAM.controller,
    [
      ...['--kubeconfig', kubeconfig, '--metrics-address', metrics, '--state-dir', join(folder, 'state')],
      ...['--single-tenant', '--kube-api-qps', '1000', '--kube-api-burst', '2000'],
    ],
    { nodeOptions: [...nodeOptions, ...profiling(values.profile)], env },
  );
  try {
    const spec = { url: git.url('gateways.git'), path: 'gateways', interval: '10s', secretRef: { name: 'git' } };
    const begun = performance.now();
    api.put({
      apiVersion: SOURCE.apiVersion,
      kind: SOURCE.kind,
      metadata: { name: SOURCE.name, namespace: SOURCE.namespace },
      spec,
    });
    const status = () => (api.get(SOURCE)?.status ?? {}) as SourceStatus;
    const isReady = () =>
      status().conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
    await until(isReady, () => `${JSON.stringify(status().conditions)}\n${controller.stderr.text.slice(-4_000)}`);
    const firstMs = performance.now() - begun;
    const firstWrites = api.writes({ when: ({ user }) => user.name !== '' }).length;

    // The last statuses of gateways may be written after the first ones are read.
    let seenWrites = -1;
    await until(
      () => {
        const settled = ownWrites(api.writes()).length === seenWrites;
        seenWrites = ownWrites(api.writes()).length;
        return settled;
      },
      () => 'writes never end',
      12_000,
    );
    // Cycles without a change: their duration by the controller's metrics, and their requests to git and the API server.
    const before = await reconciles(metrics);
    const [gitBefore, writesBefore] = [git.requests.length, ownWrites(api.writes()).length];
    await until(
      async () => (await reconciles(metrics)).count >= before.count + CYCLES,
      () => 'no cycle',
      // The measured process computes its metrics at intervals.
      1_000,
    );
    const after = await reconciles(metrics);
    const cycles = after.count - before.count;
    const idleMs = ((after.seconds - before.seconds) / cycles) * 1_000;
    const gitCalls = (git.requests.length - gitBefore) / cycles;
    const idleWrites = ownWrites(api.writes()).length - writesBefore;
    const lsRemoteMs = await timedLsRemote(git.url('gateways.git'));

    const appliedMs: number[] = [];
    const changeWrites: number[] = [];
    for (let number = 0; number < commits; number++) {
      const target = (number * 37) % count;
      const name = `gateway-${target}`;
      const [file, former] =
        [...files].find(([path]) => path.endsWith(`gateway-${String(target).padStart(5, '0')}.yaml`)) ?? [];
      if (file === undefined || former === undefined) throw new Error(`there is no ${name}`);
      files.set(file, former.replace('Ask the person first.', `Ask the person first, ${number} times.`));
      commit();
      const seen = ownWrites(api.writes()).length;
      const pushed = performance.now();
      await client.request('PATCH', SOURCE_PATH, {
        body: { metadata: { annotations: { [HOOK_AT_ANNOTATION]: String(number) } } },
        contentType: 'application/merge-patch+json',
      });
      const isApplied = () =>
        ownWrites(api.writes({ kind: 'Deployment', name })).length > 0 &&
        ownWrites(api.writes())
          .slice(seen)
          .some(request => request.kind === 'Deployment' && request.name === name);
      await until(isApplied, () => controller.stderr.text.slice(-4_000), 5);
      appliedMs.push(performance.now() - pushed);
      const revision = status().lastAppliedRevision;
      await until(
        () => isReady() && status().lastAppliedRevision !== revision,
        () => JSON.stringify(status().conditions),
      );
      changeWrites.push(
        ownWrites(api.writes())
          .slice(seen)
          .filter(({ kind, subresource }) => subresource !== 'status' && kind !== 'Event' && kind !== 'GatewaySource')
          .length,
      );
    }
    const memory = memoryOfTree(controller.pid);
    const row = (figure: string, value: string, budget = '') => `| ${figure} | ${value} | ${budget} |`;
    return [
      `Node ${process.version}, ${cpus().length} CPUs, load average at the end ${loadavg()[0]?.toFixed(1)}; ${count} gateways in one repository, served by git`,
      `over https; lintel ${VERSION}. The API server, the pods and the git server run on the same CPUs.`,
      '',
      '| figure | value | budget |',
      '|---|---|---|',
      row('cycle without a change', `${idleMs.toFixed(0)} ms`, '300 ms'),
      row('`git ls-remote` alone', `${lsRemoteMs.toFixed(0)} ms`),
      row('requests to the git server in such a cycle', gitCalls.toFixed(1), 'one git call'),
      row('writes to the API server in such cycles', String(idleWrites), '0'),
      row(
        'commit of one gateway to its Deployment',
        `${median(appliedMs).toFixed(0)} ms (${Math.min(...appliedMs).toFixed(0)} to ${Math.max(...appliedMs).toFixed(0)})`,
        '2,000 ms',
      ),
      row('objects written for it', [...new Set(changeWrites)].join(', '), 'only what changed'),
      row('compiling all again in a process of its own', `${compiledMs.toFixed(0)} ms`),
      row(
        'all gateways for the first time, until all are healthy',
        `${(firstMs / 1_000).toFixed(1)} s, ${firstWrites} writes`,
      ),
      row(
        'resident memory of the controller and what it started',
        `${memory.now.toFixed(0)} MB (at most ${memory.peak.toFixed(0)})`,
        '350 MB',
      ),
      row('the same with what both map counted once, as a pod is charged for it', `${memory.charged.toFixed(0)} MB`),
      row('of that the controller itself', `${memory.root.toFixed(0)} MB`),
      '',
    ].join('\n');
  } finally {
    clearInterval(following);
  }
}

function profiling(folder: string | undefined): readonly string[] {
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--heapsnapshot-signal=SIGUSR2'];
}

/** The controller's own writes, without those about pods, which the simulated kubelet makes. */
function ownWrites<T extends { readonly manager?: string; readonly kind: string }>(writes: readonly T[]): readonly T[] {
  return writes.filter(({ manager, kind }) => manager !== 'kubelet-of-tests' && kind !== 'Pod');
}

function compileAlone(texts: readonly string[]): number {
  const sources = readTexts(texts.map((text, index) => new SourceText(`${index}.yaml`, text)));
  const begin = performance.now();
  const { hasErrors } = compile(sources, {
    purpose: 'build',
    origin: { compilerVersion: VERSION, sourceRevision: null },
  });
  if (hasErrors) throw new Error('the generated gateways have errors');
  return performance.now() - begin;
}

async function timedLsRemote(url: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    const begin = performance.now();
    await promisify(execFile)('git', ['-c', 'http.sslVerify=false', 'ls-remote', url, 'refs/heads/main']);
    times.push(performance.now() - begin);
  }
  return median(times);
}

/** Number and total seconds of reconciles so far, from the standard metric. */
async function reconciles(address: string): Promise<{ readonly count: number; readonly seconds: number }> {
  const text = await (await fetch(`http://${address}/metrics`)).text();
  const value = (suffix: string) => {
    const lines = text
      .split('\n')
      .filter(line => line.startsWith(`controller_runtime_reconcile_time_seconds_${suffix}{`));
    const own = lines.find(line => line.includes('gatewaysource'));
    return Number(own?.split(' ').at(-1) ?? Number.NaN);
  };
  return { count: value('count'), seconds: value('sum') };
}

async function until(holds: () => boolean | Promise<boolean>, about: () => string, everyMs = 50): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`still waiting after ${LIMIT_MS} ms: ${about()}`);
    await new Promise(resolve => setTimeout(resolve, everyMs));
  }
}

function freePort(): Promise<number> {
  return new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

function results(text: string): string {
  return `<!-- written by npm run bench:controller -- --write -->\n# The controller\n\n${text}`;
}
