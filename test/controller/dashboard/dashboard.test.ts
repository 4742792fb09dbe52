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

/** The texts of the cells of the table with this id. */
function rowsOf(page: string, id: string): readonly (readonly string[])[] {
  const [, body = ''] = new RegExp(`id="${id}"[\\s\\S]*?<tbody>\\n([\\s\\S]*?)</tbody>`).exec(page) ?? [];
  return [...body.matchAll(/<tr[\s\S]*?<\/tr>/g)].map(([row]) =>
    [...row.matchAll(/<td[^>]*>([\s\S]*?)<\/td>/g)].map(([, text = '']) => text),
  );
}

describe('the page', () => {
  test('the dashboard says "Nothing waits" when no source waits', () => {
    const page = renderDashboard(CALM);
    expect(page).toContain('Nothing waits');
    expect(page).toContain(
      '1 source, 1 gateway or registry server, 1 pod, as this process saw them at 2026-11-28 10:00:00 UTC.',
    );
    expect(rowsOf(page, 'sources')).toEqual([
      ['team/tools', 'ready', 'main@sha1:aaaa', '1/1', 'sha256:0123456789ab', 'applied'],
    ]);
    expect(rowsOf(page, 'gateways')).toEqual([
      ['VirtualMCPServer', 'team/web', 'team/tools', 'Ready', 'sha256:0123456789ab', '2', 'http://web.team.svc/mcp'],
    ]);
    expect(rowsOf(page, 'pods')).toEqual([['team/web-1', 'web', 'ready', 'sha256:0123456789ab']]);
    expect(page).not.toContain('id="findings"');
  });

  test('the dashboard lists waiting sources first, and each cause once with its reason and its time', () => {
    const page = renderDashboard(STORMY);
    expect(page).toContain('This process only watches: another process holds the Lease and acts.');
    expect(page).toContain('have not been read yet: lintel.dev/v1beta1/MCPGroup.');
    const stuck = expect.stringContaining('runtime keeps ending');
    expect(rowsOf(page, 'waiting')).toEqual([
      ['GatewaySource', 'team/new', 'Pending', 'the controller has not processed it yet', ''],
      ['GatewaySource', 'team/tools', 'CompileFailed', 'LNT1003 in gateway.yaml:3:5: unknown field', SINCE],
      ['GatewaySource', 'team/tools', 'DeletionWaits', '2 objects wait for the annotation', SINCE],
      ['VirtualMCPServer', 'team/web', 'PutBack', 'it was put back: no pod became ready', SINCE],
      ['VirtualMCPServer', 'team/web', 'Degraded', 'backend notes is unavailable', ''],
      ['Pod', 'team/web-1', 'Stuck', stuck, ''],
    ]);
    expect(rowsOf(page, 'sources')).toEqual([
      ['team/new', 'not processed yet', '', '', ''],
      ['team/tools', 'stalled', 'main@sha1:aaaa', 'main@sha1:bbbb', 'LNT1003 in gateway.yaml:3:5: unknown field'],
    ]);
    expect(rowsOf(page, 'gateways').map(([, name, source]) => [name, source])).toEqual([
      ['team/alone', 'none: nothing serves it'],
      ['team/web', 'team/tools'],
    ]);
    expect(rowsOf(page, 'pods')).toEqual([['team/web-1', 'web', stuck, 'sha256:0123456789ab', '7']]);
    expect(rowsOf(page, 'findings')).toEqual([['team/tools', 'error', 'LNT1003', 'gateway.yaml:3:5', 'unknown field']]);
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
    beforeAll(async () => {
      [browser, server] = [await PageBrowser.launch(), await serve(STORMY)];
    });
    afterAll(async () => {
      await browser?.[Symbol.asyncDispose]();
      await server?.[Symbol.asyncDispose]();
    });

    test.each(LOOKS)('the dashboard fits the window in Chromium at %o, and axe finds no problem', async look => {
      await browser.expectSound(`${server.url}/`, 'dashboard', look);
    });

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
