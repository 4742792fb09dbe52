import { afterEach, describe, expect, test } from 'vitest';
import { createSourceMetrics } from '../../../controller/cluster/source-metrics.ts';
import { WorkQueue } from '../../../controller/kube/index.ts';
import { ControllerMetrics, InternalServer, ListenError } from '../../../controller/observe/index.ts';
import { settle, TestClock } from '../../support/test-clock.ts';
import { READY, source, told } from '../forge/telling.ts';

const SOURCE = { namespace: 'team', name: 'gateways' };

/** Samples of the page without those of the process. */
async function samplesOf(metrics: ControllerMetrics): Promise<Map<string, string>> {
  const { text } = await metrics.page();
  const lines = text.split('\n').filter(line => line !== '' && !/^(#|process_|nodejs_)/.test(line));
  return new Map(lines.map(line => [line.slice(0, line.lastIndexOf(' ')), line.slice(line.lastIndexOf(' ') + 1)]));
}

describe('metrics', () => {
  test('the metrics of a work queue have the names of controller-runtime and client-go', async () => {
    const metrics = new ControllerMetrics();
    const clock = new TestClock();
    const ends: (() => void)[] = [];
    let queue: WorkQueue | undefined;
    const hooks = metrics.queue(
      'gatewaysource',
      1,
      () => queue ?? { depth: 0, active: 0, unfinished: { totalSeconds: 0, longestSeconds: 0 } },
    );
    queue = new WorkQueue({
      concurrency: 1,
      clock,
      hooks,
      onError: () => {},
      work: key =>
        new Promise((resolve, reject) =>
          ends.push(key === 'bad' ? () => reject(new Error('no')) : () => resolve(undefined)),
        ),
    });
    queue.start();
    queue.add('bad');
    queue.add('good');
    await clock.pass(3_000);
    const during = await samplesOf(metrics);
    expect(during.get('workqueue_depth{name="gatewaysource"}')).toBe('1');
    expect(during.get('workqueue_unfinished_work_seconds{name="gatewaysource"}')).toBe('3');
    expect(during.get('workqueue_longest_running_processor_seconds{name="gatewaysource"}')).toBe('3');
    expect(during.get('controller_runtime_active_workers{controller="gatewaysource"}')).toBe('1');
    expect(during.get('controller_runtime_reconcile_errors_total{controller="gatewaysource"}')).toBe('0');
    ends[0]?.();
    await settle();
    ends[1]?.();
    await settle();
    const after = await samplesOf(metrics);
    const expected = {
      'controller_runtime_reconcile_total{controller="gatewaysource",result="success"}': '1',
      'controller_runtime_reconcile_total{controller="gatewaysource",result="error"}': '1',
      'controller_runtime_reconcile_errors_total{controller="gatewaysource"}': '1',
      'controller_runtime_reconcile_time_seconds_count{controller="gatewaysource"}': '2',
      'controller_runtime_max_concurrent_reconciles{controller="gatewaysource"}': '1',
      'workqueue_adds_total{name="gatewaysource"}': '2',
      'workqueue_retries_total{name="gatewaysource"}': '1',
      'workqueue_queue_duration_seconds_count{name="gatewaysource"}': '2',
      'workqueue_work_duration_seconds_sum{name="gatewaysource"}': '3',
      'workqueue_depth{name="gatewaysource"}': '0',
    };
    for (const [name, value] of Object.entries(expected)) expect([name, after.get(name)]).toEqual([name, value]);
  });

  test('the metrics of several work queues have the name of the queue as a label', async () => {
    const metrics = new ControllerMetrics();
    const unfinished = { totalSeconds: 0, longestSeconds: 0 };
    metrics.queue('a', 1, () => ({ depth: 1, active: 0, unfinished })).added?.();
    metrics.queue('b', 2, () => ({ depth: 2, active: 0, unfinished }));
    const samples = await samplesOf(metrics);
    expect(samples.get('workqueue_depth{name="a"}')).toBe('1');
    expect(samples.get('workqueue_depth{name="b"}')).toBe('2');
    expect(samples.get('workqueue_adds_total{name="a"}')).toBe('1');
    expect(samples.get('workqueue_adds_total{name="b"}')).toBe('0');
  });

  test('the metrics of the controller show its requests to the API server, whether it leads, and its work for each source', async () => {
    const metrics = new ControllerMetrics();
    metrics.request({ code: '200', method: 'GET', host: '10.0.0.1:443' });
    metrics.leading('lintel-controller', true);
    metrics.stage('compile', 0.2);
    metrics.refused(SOURCE);
    metrics.drift(SOURCE, 'corrected', 2);
    metrics.lag(SOURCE, 12);
    metrics.unverified(SOURCE, true);
    metrics.suspended(SOURCE, false);
    metrics.exposedTools(SOURCE, [
      { namespace: 'team', name: 'g', callers: 'anonymous', effect: 'destructive', tools: 3 },
    ]);
    const samples = await samplesOf(metrics);
    const expected = {
      'rest_client_requests_total{code="200",method="GET",host="10.0.0.1:443"}': '1',
      'leader_election_master_status{name="lintel-controller"}': '1',
      'lintel_reconcile_duration_seconds_count{stage="compile"}': '1',
      'lintel_bundle_nack_total{namespace="team",name="gateways"}': '1',
      'lintel_drift_objects{namespace="team",name="gateways",action="corrected"}': '2',
      'lintel_source_lag_seconds_sum{namespace="team",name="gateways"}': '12',
      'lintel_unverified_commits{namespace="team",name="gateways"}': '1',
      'lintel_suspended{namespace="team",name="gateways"}': '0',
      'lintel_exposed_tools{source="team/gateways",namespace="team",name="g",caller_class="anonymous",hint="destructive"}':
        '3',
    };
    for (const [name, value] of Object.entries(expected)) expect([name, samples.get(name)]).toEqual([name, value]);
  });

  test('the metric lintel_suspended is 1 while a source is suspended', async () => {
    const metrics = new ControllerMetrics();
    const { observeReconcile: settled } = createSourceMetrics(metrics, Date.now);
    const suspended = async () => (await samplesOf(metrics)).get('lintel_suspended{namespace="team",name="gateways"}');
    for (const suspend of [false, true, false]) {
      settled({ ...told([READY]), source: source({ suspend }) }, { rejected: [] });
      expect(await suspended()).toBe(suspend ? '1' : '0');
    }
    metrics.forget(SOURCE);
    expect(await suspended()).toBeUndefined();
  });

  test('the metric lintel_bundle_info names only active bundles, and no bundle of a deleted source', async () => {
    const metrics = new ControllerMetrics();
    const bundle = { kind: 'gateway', namespace: 'team', name: 'g', revision: 'main@sha1:a' } as const;
    metrics.bundles(SOURCE, [{ ...bundle, digest: 'sha256:1' }]);
    metrics.bundles(SOURCE, [{ ...bundle, digest: 'sha256:2' }]);
    const told = [...(await samplesOf(metrics))].filter(([name]) => name.startsWith('lintel_bundle_info'));
    expect(told).toEqual([
      [
        'lintel_bundle_info{source="team/gateways",kind="gateway",namespace="team",name="g",revision="main@sha1:a",digest="sha256:2"}',
        '1',
      ],
    ]);
    metrics.suspended(SOURCE, true);
    metrics.lag(SOURCE, 1);
    metrics.forget(SOURCE);
    const left = [...(await samplesOf(metrics)).keys()].filter(name => name.includes('gateways'));
    expect(left).toEqual([]);
  });
});

describe('the internal address', () => {
  const open: InternalServer[] = [];
  afterEach(async () => {
    for (const server of open.splice(0)) await server[Symbol.asyncDispose]();
  });

  async function serve(missing: () => readonly string[] = () => []): Promise<InternalServer> {
    const address = { host: '127.0.0.1', port: 0 };
    const server = await InternalServer.start({
      address,
      metrics: new ControllerMetrics(),
      missing,
      dashboard: () => '',
    });
    open.push(server);
    return server;
  }

  test.each([
    ['/healthz', 200, /^ok\n$/],
    ['/readyz?verbose', 200, /^ok\n$/],
    ['/metrics', 200, /^process_cpu_seconds_total /m],
    ['/debug', 404, /^not found\n$/],
  ])('the metrics server of the controller answers %s with status %i', async (path, status, text) => {
    const { url } = await serve();
    const response = await fetch(`${url}${path}`);
    expect(response.status).toBe(status);
    expect(await response.text()).toMatch(text);
  });

  test('the metrics page has the content type of the Prometheus text format', async () => {
    const { url } = await serve();
    const { headers } = await fetch(`${url}/metrics`);
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  });

  test('/readyz names the caches that are not filled yet, while /healthz answers ok', async () => {
    let missing = ['Pod', 'Deployment'];
    const { url } = await serve(() => missing);
    const response = await fetch(`${url}/readyz`);
    expect([response.status, await response.text()]).toEqual([503, 'waiting for Pod, Deployment\n']);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    missing = [];
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  test('the metrics server of the controller refuses all methods but GET and HEAD', async () => {
    const { url } = await serve();
    const { status, headers } = await fetch(`${url}/metrics`, { method: 'POST', body: 'x' });
    // Unread bytes of the body must not be taken for the next request.
    expect([status, headers.get('connection')]).toEqual([405, 'close']);
  });

  test('the error for a metrics address in use names the flag that changes the address', async () => {
    const { url } = await serve();
    const port = Number(new URL(url).port);
    const second = InternalServer.start({
      address: { host: '127.0.0.1', port },
      metrics: new ControllerMetrics(),
      missing: () => [],
      dashboard: () => '',
    });
    await expect(second).rejects.toThrow(ListenError);
    await expect(second).rejects.toThrow(
      `cannot listen on 127.0.0.1:${port}: the address is in use; choose another address with --metrics-address`,
    );
  });
});
