import { afterEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../controller/kube/index.ts';
import { PodReader, type PodReaderOptions, type PodSelector } from '../../../controller/pods/index.ts';
import { anonymousConfig, server, sourceFile, startRegistry } from '../../e2e/registry/registry-server.ts';
import { type Announcement, buildInto, FREE_PORTS, ready } from '../../e2e/served.ts';
import { GROUP, inlineGateway } from '../../e2e/specs.ts';
import { FilledCache } from '../../support/object-cache.ts';
import { eventually, PROGRAM, start } from '../../support/process.ts';
import { type RawHandler, startRawServer } from '../../support/raw-server.ts';

const LABELS = {
  'app.kubernetes.io/instance': 'eng',
  'app.kubernetes.io/managed-by': 'lintel',
  'app.kubernetes.io/name': 'virtualmcpserver',
};
const ENG: PodSelector = { namespace: 'a', labels: LABELS };
const DIGEST = `sha256:${'a'.repeat(64)}`;

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

function pod(name: string, { metadata = {}, status = {} }: { metadata?: object; status?: object } = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'a', uid: `uid-${name}`, labels: LABELS, ...metadata },
    status: {
      phase: 'Running',
      podIP: '127.0.0.1',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [{ name: 'vmcp', ready: true, state: { running: {} } }],
      ...status,
    },
  };
}

function reader(pods: readonly KubeObject[] | FilledCache, options: Partial<PodReaderOptions> = {}): PodReader {
  const cache = pods instanceof FilledCache ? pods : new FilledCache(pods);
  const made = new PodReader({ pods: cache, now: () => 0, ...options });
  open.push(made);
  return made;
}

async function answering(handler: RawHandler) {
  const raw = await startRawServer(handler);
  open.push({
    async [Symbol.asyncDispose]() {
      raw.dropConnections();
      await raw.close();
    },
  });
  return raw;
}

const page = (more: object = {}) =>
  JSON.stringify({ bundle: { digest: DIGEST, refused: null }, backends: [], ...more });

describe('which pods', () => {
  test('the controller reads the pods that match the selector of a gateway, sorted by name, without pods that are being deleted', () => {
    const pods = [
      pod('eng-2'),
      pod('eng-1'),
      pod('going', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
      pod('elsewhere', { metadata: { namespace: 'b' } }),
      pod('other', { metadata: { labels: { ...LABELS, 'app.kubernetes.io/instance': 'other' } } }),
      pod('registry', { metadata: { labels: { ...LABELS, 'app.kubernetes.io/name': 'mcpregistry' } } }),
      pod('bare', { metadata: { labels: undefined } }),
    ];
    expect(
      reader(pods)
        .listPods(ENG)
        .map(({ metadata }) => metadata.name),
    ).toEqual(['eng-1', 'eng-2']);
  });

  test('the controller takes the pods of a gateway from its cache', () => {
    const cache = new FilledCache([pod('eng-1')]);
    const pods = reader(cache);
    expect(pods.listPods(ENG)).toHaveLength(1);
    cache.set(pod('eng-2'));
    expect(pods.listPods(ENG)).toHaveLength(2);
    cache.delete('a', 'eng-1');
    expect(pods.listPods(ENG).map(({ metadata }) => metadata.name)).toEqual(['eng-2']);
  });
});

describe('real processes', () => {
  test('the controller reads the bundle digest and the backends from the status of a real gateway', async () => {
    const backend = await answering((_, response) => void response.writeHead(500).end());
    const folder = await buildInto({
      'group.yaml': GROUP,
      'gateway.yaml': inlineGateway('eng', `${backend.origin}/mcp`),
    });
    const program = start(PROGRAM.runtime, ['--bundle', folder.file('out'), ...FREE_PORTS]);
    open.push(folder, program);
    const announced = await program.announcement<Announcement>();
    await ready(announced);
    const pods = reader(
      [pod('eng-1', { metadata: { annotations: { 'lintel.dev/bundle-digest': announced.digest } } })],
      {
        port: Number(new URL(announced.internal).port),
        rememberMs: 0,
      },
    );
    const [report] = await eventually(async () => {
      const reports = await pods.reports(ENG);
      return reports[0]?.backends[0]?.lastHealthCheck && reports;
    });
    expect(report).toEqual({
      name: 'eng-1',
      uid: 'uid-eng-1',
      isReady: true,
      templateDigest: announced.digest,
      digest: announced.digest,
      refused: null,
      problem: null,
      isStuck: false,
      failsRequests: false,
      backends: [
        {
          name: 'backend',
          status: expect.stringMatching(/^(unknown|unavailable)$/),
          message: expect.stringContaining('500'),
          lastHealthCheck: expect.stringMatching(/^\d{4}-/),
          consecutiveFailures: expect.any(Number),
          mcpRevision: null,
          circuitBreakerState: null,
          circuitLastChanged: null,
        },
      ],
    });
  });

  test('the controller reads the bundle digest and no backends from the status of a real registry server', async () => {
    const registry = await startRegistry({
      'registry.yaml': anonymousConfig('{ name: ours, file: { path: DIR/servers.json } }'),
      'servers.json': sourceFile([server('com.example/one')]),
    });
    open.push(registry);
    const [report] = await reader([pod('eng-1')], { port: Number(new URL(registry.internal).port) }).reports(ENG);
    expect(report).toMatchObject({ digest: registry.digest, refused: null, problem: null, backends: [] });
  });
});

describe('broken answers', () => {
  test.each<[name: string, handler: RawHandler, problem: RegExp]>([
    [
      'status 503',
      (_, response) => void response.writeHead(503).end('no'),
      /^http:.*\/status answers with status 503$/,
    ],
    [
      'a redirect',
      (_, response) => void response.writeHead(302, { location: '/status' }).end(),
      /answers with status 302$/,
    ],
    [
      'a text that is not JSON',
      (_, response) => void response.end('<html>'),
      /answers with something other than JSON$/,
    ],
    ['null', (_, response) => void response.end('null'), /does not say which bundle it serves$/],
    ['no digest', (_, response) => void response.end('{"bundle":{}}'), /does not say which bundle it serves$/],
    ['an invalid digest', (_, response) => void response.end('{"bundle":{"digest":"latest"}}'), /which bundle/],
    [
      'a body that ends half-way',
      (_, response) => void response.writeHead(200, { 'content-length': 9 }).write('{', () => response.destroy()),
      /content-length|other side closed|aborted/i,
    ],
    [
      'a body above the size limit',
      (_, response) => void response.end(`"${'x'.repeat(5 * 1024 * 1024)}"`),
      /answers with more than 4194304 bytes$/,
    ],
  ])('the controller reports a problem of a pod whose /status answers with %s', async (_, handler, problem) => {
    const { port } = await answering(handler);
    const [report] = await reader([pod('eng-1')], { port, timeoutMs: 30_000 }).reports(ENG);
    expect(report).toMatchObject({ isReady: true, digest: null, refused: null, backends: [] });
    expect(report?.problem).toMatch(problem);
  });

  test('the controller follows no redirect of a pod', async () => {
    const raw = await answering((_, response) => void response.writeHead(307, { location: '/elsewhere' }).end());
    await reader([pod('eng-1')], { port: raw.port }).reports(ENG);
    expect(raw.requests.map(({ path }) => path)).toEqual(['/status']);
  });

  test.each(['never an answer', 'never an end'])('the controller gives up on a pod after a timeout: %s', async kind => {
    const { port } = await answering((_, response) => {
      if (kind === 'never an end') response.writeHead(200).write('{');
    });
    const [report] = await reader([pod('eng-1')], { port, timeoutMs: 50 }).reports(ENG);
    expect(report?.problem).toMatch(/: no answer within 50 ms$|timeout/i);
  });

  test('the controller reports a pod that does not listen', async () => {
    const raw = await answering(() => {});
    await raw.close();
    const [report] = await reader([pod('eng-1')], { port: raw.port }).reports(ENG);
    expect(report?.problem).toMatch(/ECONNREFUSED/);
  });

  test('the controller never resolves a host name in place of the IP address of a pod', async () => {
    const [report] = await reader([pod('eng-1', { status: { podIP: 'localhost' } })]).reports(ENG);
    expect(report?.problem).toBe('the pod has no IP address: "localhost"');
  });

  test('the controller reads backends from the status of a pod, and replaces values that are missing or not valid by defaults', async () => {
    const whole = {
      name: 'good',
      status: 'degraded',
      message: 'slow',
      consecutiveFailures: 2,
      mcpRevision: '2025-06-18',
      circuitBreakerState: 'half-open',
      circuitLastChanged: '2026-01-01T00:00:01.000Z',
    };
    const backends = [
      { ...whole, lastHealthCheck: '2026-01-01T00:00:00.000Z' },
      {
        name: 'later',
        status: 'sleepy',
        message: 7,
        lastHealthCheck: 'soon',
        consecutiveFailures: 1.5,
        mcpRevision: 3,
        circuitBreakerState: 'ajar',
        circuitLastChanged: 'yesterday',
      },
      { name: 'long', status: 'ready', message: 'x'.repeat(2000) },
      { status: 'ready' },
      null,
      'x',
    ];
    const { port } = await answering((_, response) => void response.end(page({ backends })));
    const [report] = await reader([pod('eng-1')], { port }).reports(ENG);
    const nothing = {
      message: '',
      lastHealthCheck: null,
      consecutiveFailures: 0,
      mcpRevision: null,
      circuitBreakerState: null,
      circuitLastChanged: null,
    };
    expect(report?.backends).toEqual([
      { ...whole, lastHealthCheck: '2026-01-01T00:00:00.000Z' },
      { ...nothing, name: 'later', status: 'unknown' },
      { ...nothing, name: 'long', status: 'ready', message: `${'x'.repeat(999)}…` },
    ]);
  });
});

describe('what a pod is asked', () => {
  test('the controller reads from the status of a pod why the pod refused the new bundle and still runs the previous bundle', async () => {
    const { port } = await answering((_, response) => {
      response.end(page({ bundle: { digest: DIGEST, refused: 'format version 2' } }));
    });
    const [report] = await reader([pod('eng-1')], { port }).reports(ENG);
    expect(report).toMatchObject({ isReady: true, digest: DIGEST, refused: 'format version 2', problem: null });
  });

  test('the controller sends no request to a pod without a running container', async () => {
    const raw = await answering((_, response) => void response.end(page()));
    const crashed = {
      conditions: [],
      containerStatuses: [
        {
          name: 'vmcp',
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: { terminated: { exitCode: 2, message: 'lintel-runtime: bad bundle\n' } },
        },
      ],
    };
    const reports = await reader(
      [
        pod('eng-1', { status: crashed }),
        pod('eng-2', { status: { phase: 'Pending', podIP: undefined, conditions: [] } }),
      ],
      { port: raw.port },
    ).reports(ENG);
    expect(raw.requests).toEqual([]);
    expect(reports).toMatchObject([
      { isReady: false, digest: null, refused: 'bad bundle', isStuck: true },
      {
        isReady: false,
        digest: null,
        refused: null,
        isStuck: false,
        problem: 'the pod is being created',
      },
    ]);
  });

  test('the controller reads the status of a pod over IPv6', async () => {
    const [report] = await reader([pod('eng-1', { status: { podIP: '::1' } })], { port: 9 }).reports(ENG);
    expect(report?.problem).toMatch(/^http:\/\/\[::1\]:9\/status: /);
  });
});

describe('asking once', () => {
  async function counted(options: Partial<PodReaderOptions>) {
    const raw = await answering((_, response) => void response.end(page()));
    const cache = new FilledCache([pod('eng-1')]);
    return { raw, cache, pods: reader(cache, { port: raw.port, ...options }) };
  }

  test('two reads of a pod status at the same time share one request, and a later read sends a new request', async () => {
    let now = 0;
    const { raw, pods } = await counted({ now: () => now, rememberMs: 1000 });
    await Promise.all([pods.reports(ENG), pods.reports(ENG)]);
    now = 999;
    await pods.reports(ENG);
    expect(raw.requests).toHaveLength(1);
    now = 1000;
    await pods.reports(ENG);
    expect(raw.requests).toHaveLength(2);
  });

  test('the controller drops the cached status of a pod when the pod changes', async () => {
    const { raw, cache, pods } = await counted({});
    await pods.reports(ENG);
    cache.set(pod('eng-1', { metadata: { annotations: { changed: 'yes' } } }));
    await pods.reports(ENG);
    expect(raw.requests).toHaveLength(2);
  });

  test('the controller reads the status of a limited number of pods at the same time', async () => {
    let running = 0;
    let most = 0;
    const raw = await answering((_, response) => {
      running += 1;
      most = Math.max(most, running);
      setImmediate(() => {
        running -= 1;
        response.end(page());
      });
    });
    const pods = reader(
      Array.from({ length: 20 }, (_, index) => pod(`eng-${index}`)),
      { port: raw.port, concurrency: 3 },
    );
    expect(await pods.reports(ENG)).toHaveLength(20);
    expect(most).toBeLessThanOrEqual(3);
    expect(raw.requests).toHaveLength(20);
  });
});
