/** The dashboard: how it shows each kind of failure, for whom it answers, and how it looks in a browser. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DashboardInput, renderDashboard } from '../../../controller/dashboard/page.ts';
import type { KubeObject } from '../../../controller/kube/index.ts';
import { ControllerMetrics, InternalServer } from '../../../controller/observe/index.ts';
import { LOOKS, PageBrowser, WIDE } from '../../support/browser-page.ts';
import { withPeers } from '../../support/peers.ts';

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;
const OLD_DIGEST = `sha256:${'fedcba9876543210'.repeat(4)}`;
const SINCE = '2026-11-28T09:30:00Z';
const SHOWN_SINCE = '2026-11-28 09:30 UTC (30m)';

const object = (kind: string, name: string, parts: object = {}): KubeObject =>
  ({ apiVersion: 'lintel.dev/v1beta1', kind, metadata: { namespace: 'team', name }, ...parts }) as KubeObject;

const condition = (type: string, status: string, reason: string, message: string) => ({
  ...{ type, status, reason, message },
  lastTransitionTime: SINCE,
});

const gateway = (name: string, status: object): KubeObject =>
  object('VirtualMCPServer', name, {
    metadata: { namespace: 'team', name, annotations: { 'lintel.dev/source': 'team/tools' } },
    status,
  });

const pod = (name: string, status: object): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...{ namespace: 'team', name },
      labels: { 'app.kubernetes.io/instance': 'web' },
      annotations: { 'lintel.dev/bundle-digest': DIGEST },
    },
    status,
  }) as KubeObject;

const READY = object('GatewaySource', 'tools', {
  status: {
    conditions: [condition('Ready', 'True', 'Succeeded', 'applied')],
    lastAppliedRevision: 'main@sha1:aaaa',
    lastAttemptedRevision: 'main@sha1:aaaa',
    gatewaysReady: '1/1',
    digest: DIGEST,
    gateways: [{ kind: 'gateway', namespace: 'team', name: 'web', digest: DIGEST, activeDigest: DIGEST }],
  },
});

const CALM: DashboardInput = {
  now: new Date('2026-11-28T10:00:00Z'),
  isActing: true,
  missing: [],
  sources: [READY],
  workloads: [gateway('web', { phase: 'Ready', url: 'http://web.team.svc/mcp', backendCount: 2 })],
  pods: [pod('web-1', { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] })],
};

const NAMED_READY: KubeObject = { ...READY, metadata: { ...READY.metadata, name: 'zone' } };

/** As in a cluster: with whole hashes, long names and addresses, a registry server, and a gateway that does not run its newest bundle. */
const REALISTIC: DashboardInput = (() => {
  const revision = (digit: string) => `main@sha1:${digit.repeat(40)}`;
  const names = ['payments-assistants', 'payments-tools', 'platform-tools'];
  const message =
    '3 of 4 objects would be deleted, and spec.deletion.maxPercent is 30: check the revision, then set the annotation';
  return {
    ...CALM,
    sources: [
      object('GatewaySource', 'payments-gateways', {
        status: {
          conditions: [
            condition('Ready', 'False', 'PruneBlocked', `${message} lintel.dev/allow-deletions: ${revision('b')}`),
            condition('Reconciling', 'True', 'Progressing', 'a rollout is under way'),
          ],
          lastAppliedRevision: revision('a'),
          lastAttemptedRevision: revision('b'),
          gatewaysReady: '2/3',
          digest: DIGEST,
          verifiedBy: 'SHA256:Qm9nZXIgdGhlIGtleSBvZiB0aGUgdGVhbSB3aGljaA0',
          gateways: names.map((name, at) => ({
            ...{ kind: 'gateway' as const, namespace: 'payments', name, digest: DIGEST },
            activeDigest: at === 0 ? OLD_DIGEST : DIGEST,
          })),
        },
      }),
    ],
    workloads: [
      ...names.map(name => ({
        ...gateway(name, {
          phase: 'Ready',
          url: `http://vmcp-${name}.payments.svc.cluster.local:4483/mcp`,
          backendCount: 12,
        }),
        metadata: { namespace: 'payments', name, annotations: { 'lintel.dev/source': 'payments/payments-gateways' } },
      })),
      object('MCPRegistry', 'company', {
        metadata: { namespace: 'payments', name: 'company' },
        status: { phase: 'Ready', url: 'http://registry-company.payments.svc.cluster.local:8080' },
      }),
    ],
    pods: names.map(name => ({
      ...pod('', { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }),
      metadata: {
        ...{ namespace: 'payments', name: `vmcp-${name}-7c9d0f6b8c-x20qz` },
        labels: { 'app.kubernetes.io/instance': name },
        annotations: { 'lintel.dev/bundle-digest': DIGEST },
      },
    })),
  };
})();

const STORMY: DashboardInput = {
  ...CALM,
  isActing: false,
  missing: ['lintel.dev/v1beta1/MCPGroup'],
  sources: [
    object('GatewaySource', 'tools', {
      status: {
        conditions: [
          condition('Ready', 'False', 'CompileFailed', 'LNT1003 in gateway.yaml:3:5: unknown field'),
          condition('Compiled', 'False', 'CompileFailed', 'LNT1003 in gateway.yaml:3:5: unknown field'),
          condition('Applied', 'False', 'DeletionWaits', '2 objects wait for the annotation'),
          condition('Stalled', 'True', 'CompileFailed', 'LNT1003 in gateway.yaml:3:5: unknown field'),
        ],
        lastAppliedRevision: 'main@sha1:aaaa',
        lastAttemptedRevision: 'main@sha1:bbbb',
        gateways: [
          {
            ...{ kind: 'gateway', namespace: 'team', name: 'web', digest: DIGEST, activeDigest: OLD_DIGEST },
            ...{ heldDigest: DIGEST, message: 'it was put back: no pod became ready', since: SINCE },
          },
        ],
        diagnostics: [
          { code: 'LNT1003', severity: 'error', message: 'unknown field', file: 'gateway.yaml', line: 3, column: 5 },
        ],
      },
    }),
    object('GatewaySource', 'new'),
  ],
  workloads: [
    gateway('web', { phase: 'Degraded', message: 'backend notes is unavailable' }),
    object('VirtualMCPServer', 'alone'),
    { ...object('VirtualMCPServer', 'foreign'), apiVersion: 'toolhive.stacklok.dev/v1beta1' } as KubeObject,
  ],
  pods: [
    pod('web-1', {
      phase: 'Pending',
      containerStatuses: [
        { name: 'runtime', restartCount: 7, state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off' } } },
      ],
    }),
  ],
};

/**
 * The texts of the cells of the table with this id.
 *
 * @param classes only of rows with this class
 */
function rowsOf(page: string, id: string, classes = ''): readonly (readonly string[])[] {
  const [, body = ''] = new RegExp(`id="${id}"[\\s\\S]*?<tbody>\\n([\\s\\S]*?)</tbody>`).exec(page) ?? [];
  const rows = [...body.matchAll(/<tr[\s\S]*?<\/tr>/g)].filter(
    ([row]) => row.startsWith(`<tr class="${classes}"`) || classes === '',
  );
  return rows.map(([row]) => [...row.matchAll(/<td[^>]*>([\s\S]*?)<\/td>/g)].map(([, text = '']) => text));
}

describe('the page', () => {
  test('the dashboard says "Nothing waits" when no source waits', () => {
    const page = renderDashboard(CALM);
    expect(page).toContain('Nothing waits');
    expect(page).toContain(
      '1 source, 1 gateway or registry server, 1 pod, as this process saw them at 2026-11-28 10:00:00 UTC.',
    );
    expect(rowsOf(page, 'sources')).toEqual([['team/tools', 'ready', 'main@sha1:aaaa', '1/1', '0123456789ab']]);
    expect(rowsOf(page, 'gateways')).toEqual([
      ['team/web', 'team/tools', 'Ready', '0123456789ab', '2', 'http://web.team.svc/mcp'],
    ]);
    expect(rowsOf(page, 'pods')).toEqual([['team/web-1', 'web', 'ready', '0123456789ab']]);
    expect(page).not.toContain('id="findings"');
    expect(page).not.toMatch(/class="[^"]*(mark|warn)/);
  });

  test('the dashboard marks only the rows of sources that are not ready', () => {
    const marked = rowsOf(renderDashboard({ ...STORMY, sources: [...STORMY.sources, NAMED_READY] }), 'sources', 'mark');
    expect(marked.map(([name]) => name)).toEqual(['team/new', 'team/tools']);
  });

  test.each([
    ['2026-11-28T09:59:30Z', '2026-11-28 09:59 UTC (0m)'],
    ['2026-11-28T09:30:00Z', '2026-11-28 09:30 UTC (30m)'],
    ['2026-11-28T08:42:00Z', '2026-11-28 08:42 UTC (1h18m)'],
    ['2026-11-25T08:00:00Z', '2026-11-25 08:00 UTC (3d2h)'],
    // The clock of the API server is ahead.
    ['2026-11-28T10:00:20Z', '2026-11-28 10:00 UTC (0m)'],
  ])('the dashboard shows the time %s of a condition as %s', (since, shown) => {
    const conditions = [{ ...condition('Ready', 'False', 'FetchFailed', 'away'), lastTransitionTime: since }];
    const page = renderDashboard({ ...CALM, sources: [object('GatewaySource', 'tools', { status: { conditions } })] });
    expect(rowsOf(page, 'waiting')).toEqual([['GatewaySource', 'team/tools', 'FetchFailed', 'away', shown]]);
    expect(rowsOf(page, 'sources')).toEqual([['team/tools', 'not ready']]);
  });

  test('the dashboard lists first what waits: each cause once, with its reason and the time at which it began', () => {
    const page = renderDashboard(STORMY);
    expect(page).toContain('This process only watches: another process holds the Lease and acts.');
    expect(page).toContain('have not been read yet: lintel.dev/v1beta1/MCPGroup.');
    const stuck = expect.stringContaining('runtime keeps ending');
    expect(page).toContain('>What waits, and why: 6</h2>');
    expect(rowsOf(page, 'waiting')).toEqual([
      ['GatewaySource', 'team/new', 'Pending', 'the controller has not processed it yet', ''],
      ['GatewaySource', 'team/tools', 'CompileFailed', 'LNT1003 in gateway.yaml:3:5: unknown field', SHOWN_SINCE],
      ['GatewaySource', 'team/tools', 'DeletionWaits', '2 objects wait for the annotation', SHOWN_SINCE],
      ['VirtualMCPServer', 'team/web', 'PutBack', 'it was put back: no pod became ready', SHOWN_SINCE],
      ['VirtualMCPServer', 'team/web', 'Degraded', 'backend notes is unavailable', ''],
      ['Pod', 'team/web-1', 'Stuck', stuck, ''],
    ]);
    expect(rowsOf(page, 'sources')).toEqual([
      ['team/new', 'not processed yet', '', ''],
      ['team/tools', 'stalled', 'main@sha1:aaaa', 'main@sha1:bbbb'],
    ]);
    expect(rowsOf(page, 'gateways').map(([name, source]) => [name, source])).toEqual([
      ['team/alone', 'none: nothing serves it'],
      ['team/web', 'team/tools'],
    ]);
    expect(rowsOf(page, 'pods')).toEqual([['team/web-1', 'web', stuck, '0123456789ab', '7']]);
    expect(rowsOf(page, 'findings')).toEqual([['team/tools', 'error', 'LNT1003', 'gateway.yaml:3:5', 'unknown field']]);
  });

  test('the dashboard shortens hashes, and names the kind of a registry server', () => {
    const page = renderDashboard(REALISTIC);
    const [source] = rowsOf(page, 'sources');
    expect(source?.slice(0, 6)).toEqual([
      ...['team/payments-gateways', 'reconciling', 'main@sha1:aaaaaaaaaaaa', 'main@sha1:bbbbbbbbbbbb'],
      ...['2/3', '0123456789ab'],
    ]);
    expect(rowsOf(page, 'gateways').map(([name, , , active, newest]) => [name, active, newest])).toEqual([
      ['payments/company (registry server)', '', ''],
      ['payments/payments-assistants', 'fedcba987654', '0123456789ab'],
      ['payments/payments-tools', '0123456789ab', ''],
      ['payments/platform-tools', '0123456789ab', ''],
    ]);
  });

  test('the dashboard escapes markup in texts of repositories', () => {
    const hostile = '<img src=x onerror=alert(1)></script><script>alert(1)</script>';
    const source = object('GatewaySource', 'a', {
      status: { conditions: [condition('Ready', 'False', 'A', hostile)] },
    });
    const page = renderDashboard({ ...CALM, sources: [source] });
    expect(page).not.toContain('<img');
    expect(page.match(/<script>/g)).toHaveLength(1);
  });
});

describe('the address', () => {
  const serve = (facts: DashboardInput) =>
    InternalServer.start({
      address: { host: '127.0.0.1', port: 0 },
      metrics: new ControllerMetrics(),
      missing: () => [],
      dashboard: () => renderDashboard(facts),
    });

  /** @param path the target, which may name a host of its own (RFC 9112, section 3.2.2) */
  const ask = (url: string, host: string, path = '/') =>
    new Promise<{ status: number | undefined; headers: object; text: string }>((resolve, reject) => {
      request(url, { headers: { host }, path }, response => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
      })
        .on('error', reject)
        .end();
    });

  test.each([
    ['localhost', 200],
    ['127.0.0.1:8080', 200],
    ['[::1]:8080', 200],
    ['lintel-controller', 200],
    ['lintel-controller.lintel-system.svc', 200],
    ['lintel-controller.lintel-system.svc.cluster.local:8080', 200],
    ['rebound.example.com', 421],
    ['a.svc.example.com', 421],
  ])('the dashboard answers a request with Host %s with status %i', async (host, status) => {
    await using server = await serve(CALM);
    const answer = await ask(server.url, host);
    expect(answer.status).toBe(status);
    if (status === 200)
      expect(answer.headers).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': "frame-ancestors 'none'",
        'content-type': 'text/html; charset=utf-8',
      });
    else expect(answer.text).not.toContain('team/');
    // Metrics name the sources as well.
    expect(await ask(server.url, host, '/metrics')).toMatchObject({ status });
    expect(await ask(server.url, host, '/healthz')).toMatchObject({ status: 200 });
    // A host in the target goes before that of the header.
    expect(await ask(server.url, 'localhost', `http://${host}/`)).toMatchObject({ status });
    expect(await ask(server.url, 'rebound.example.com', `http://${host}/`)).toMatchObject({ status });
  });

  withPeers('chromium', 'playwright-core', 'axe-core').describe('in Chromium', () => {
    let browser: PageBrowser;
    let server: InternalServer;
    let realistic: InternalServer;
    beforeAll(async () => {
      [browser, server, realistic] = [await PageBrowser.launch(), await serve(STORMY), await serve(REALISTIC)];
    });
    afterAll(async () => {
      await browser?.[Symbol.asyncDispose]();
      await server?.[Symbol.asyncDispose]();
      await realistic?.[Symbol.asyncDispose]();
    });

    test.each(LOOKS)('the dashboard fits the window in Chromium at %o, and axe finds no problem', async look => {
      await browser.expectSound(`${server.url}/`, 'dashboard', look);
    });

    test.each(LOOKS)(
      'the dashboard with the long names, hashes and addresses of a cluster fits the window in Chromium at %o',
      async look => {
        await browser.expectSound(`${realistic.url}/`, 'dashboard-realistic', look);
      },
    );

    test('the search field of the dashboard keeps only the rows with the typed words', async () => {
      await browser.onPage(`${server.url}/`, { viewport: WIDE }, async page => {
        await page.keyboard.press('Tab');
        await page.keyboard.type('put back');
        expect(await page.locator('tbody tr:visible').allTextContents()).toEqual([
          expect.stringContaining('it was put back'),
        ]);
      });
    });
  });
});
