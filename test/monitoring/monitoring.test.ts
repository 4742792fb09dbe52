/** Alerts and dashboard use existing metrics of gateways, and each alert has a runbook. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { ALERTS, rulesFile, runbookPath } from '../../build/monitoring/alerts.ts';
import { dashboardFile, PANELS } from '../../build/monitoring/dashboard.ts';
import { listProcessMetrics } from '../../runtime/observe/metrics/process-metrics.ts';
import { listRegistryMetrics } from '../../runtime/registry/metrics.ts';
import { RequestDurations } from '../../runtime/registry/request-durations.ts';
import { withPeers } from '../support/peers.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The metrics in the README's table, which another test compares with the metrics page of a running gateway. */
const rows = [...read('runtime/observe/README.md').matchAll(/^\| `((?:lintel|mcp)_\w+)` \| (\w+) \|/gm)];
const METRICS = new Set([
  ...listRegistryGauges(),
  ...rows.flatMap(([, name, type]) =>
    type === 'histogram' ? ['bucket', 'sum', 'count'].map(part => `${name}_${part}`) : [name],
  ),
]);

/** The names of a registry server's gauges. */
function listRegistryGauges(): readonly string[] {
  const metrics = listRegistryMetrics({
    version: '',
    bundle: { namespace: 'default', name: 'servers' },
    state: { digest: '', refused: null, staleSecurity: [] },
    ready: true,
    requests: [],
    durations: new RequestDurations(),
    audit: undefined,
    telemetry: [],
    sources: [],
    providers: [],
  });
  return metrics.filter(({ type }) => type === 'gauge').map(({ name }) => name);
}

/** What `examples/scale-out/autoscaler.yaml` says of its metrics. */
interface Autoscaler {
  readonly spec: {
    readonly scaleTargetRef: object;
    readonly metrics: readonly {
      readonly pods?: { readonly metric: { readonly name: string } };
    }[];
  };
}

const EXPRESSIONS = [
  ...ALERTS.map(({ name, expr }) => [name, expr] as const),
  ...PANELS.flatMap(({ title, queries }) => queries.map(([expr]) => [title, expr] as const)),
];

test.each(EXPRESSIONS)('the query of the alert or panel %s uses only metrics that the runtime has', (_, expr) => {
  const asked = expr.match(/\b(?:lintel|mcp)_\w+(?=[{[ ]|$)/g)?.filter(name => !name.startsWith('mcp_method')) ?? [];
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.filter(name => !METRICS.has(name))).toEqual([]);
});

test('the committed alert rules and dashboard are up to date', () => {
  expect(read('docs/monitoring/alerts.yaml')).toBe(rulesFile());
  expect(read('docs/monitoring/dashboard.json')).toBe(dashboardFile());
});

test.each(ALERTS.map(alert => [alert.name, runbookPath(alert)]))(
  'the alert %s has the runbook %s with all sections',
  (_, page) => {
    const headings = [...read(page).matchAll(/^## (.*)\n\n\S/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(['Symptom', 'Meaning', 'What to look at', 'What to do']);
  },
);

test('each runbook belongs to an alert', () => {
  const pages = readdirSync(join(ROOT, 'docs/runbooks')).map(name => `docs/runbooks/${name}`);
  expect(pages.sort()).toEqual(ALERTS.map(runbookPath).sort());
});

test('the HorizontalPodAutoscaler of the scale-out example scales the gateway of the example by an existing metric', () => {
  const { spec } = parse(read('examples/scale-out/autoscaler.yaml')) as Autoscaler;
  const deployments = parseAllDocuments(read('examples/scale-out/specs/scale-out.yaml')).map(one => one.toJS());
  const gateway = deployments.find(({ kind }) => kind === 'VirtualMCPServer');
  expect(spec.scaleTargetRef).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', name: gateway.metadata.name });
  const ours = spec.metrics.flatMap(({ pods }) => (pods === undefined ? [] : [pods.metric]));
  expect(ours.length).toBeGreaterThan(0);
  const existing = new Set([...METRICS, ...listProcessMetrics().map(({ name }) => name)]);
  expect(ours.filter(({ name }) => !existing.has(name))).toEqual([]);
});

withPeers('promtool').test('promtool accepts the alert rules', () => {
  const { status, stdout, stderr } = spawnSync(
    'promtool',
    ['check', 'rules', join(ROOT, 'docs/monitoring/alerts.yaml')],
    {
      encoding: 'utf8',
    },
  );
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain(`${ALERTS.length} rules found`);
});
