/** How many tools callers reach: from an exposure to numbers, and from reconciles to `/metrics`. */
import { expect, test } from 'vitest';
import type { Exposure } from '#compiler';
import { createSourceMetrics } from '../../../controller/cluster/source-metrics.ts';
import { countExposedTools, type ToolCount } from '../../../controller/compile/index.ts';
import { ControllerMetrics } from '../../../controller/observe/index.ts';
import type { ReconcileReport } from '../../../controller/reconcile/index.ts';
import { exposures, OFFERS, SPECS } from '../../compiler/exposure/sample.ts';
import { outcome, READY, source, told, unit } from '../forge/telling.ts';

type Tool = Pick<Exposure['tools'][number], 'hints' | 'reach'>;
type Hints = Tool['hints'];

const claimed = (value: boolean) => ({ value, from: 'backend' }) as const;
const READ_ONLY: Hints = { readOnlyHint: claimed(true), destructiveHint: claimed(true) };
const ADDITIVE: Hints = { readOnlyHint: claimed(false), destructiveHint: claimed(false) };
const DESTRUCTIVE: Hints = { destructiveHint: claimed(true) };

function counts(authentication: 'anonymous' | 'oidc', tools: readonly Tool[]): readonly ToolCount[] {
  return countExposedTools({ authentication: { type: authentication }, tools, composites: [] } as unknown as Exposure);
}

test.each<[authentication: 'anonymous' | 'oidc', reach: Tool['reach'], hints: Hints, expected: string | undefined]>([
  ['anonymous', { type: 'everyone' }, READ_ONLY, 'anonymous read_only'],
  ['oidc', { type: 'everyone' }, ADDITIVE, 'authenticated additive'],
  ['oidc', { type: 'some', anyOf: [] }, DESTRUCTIVE, 'granted destructive'],
  ['anonymous', { type: 'some', anyOf: [] }, {}, 'granted none'],
  ['oidc', { type: 'unknown' }, { readOnlyHint: claimed(false) }, 'unknown none'],
  ['anonymous', { type: 'nobody' }, DESTRUCTIVE, undefined],
])(
  'lintel_exposed_tools counts a tool by caller class and effect: %s, %j, %j gives %s',
  (authentication, reach, hints, expected) => {
    const found = counts(authentication, [{ reach, hints }]);
    expect(found.map(({ callers, effect }) => `${callers} ${effect}`)[0]).toBe(expected);
  },
);

test('lintel_exposed_tools counts the workflows of a gateway as tools', () => {
  const [exposure] = exposures(SPECS, OFFERS);
  if (exposure === undefined) throw new Error('there is no exposure');
  const open = [...exposure.tools.map(({ reach }) => reach), ...exposure.composites.map(({ direct }) => direct)];
  const reached = open.filter(({ type }) => type !== 'nobody');
  expect(exposure.composites.length).toBeGreaterThan(0);
  expect(countExposedTools(exposure).reduce((sum, { tools }) => sum + tools, 0)).toBe(reached.length);
});

test('lintel_exposed_tools counts only the tools of active bundles', async () => {
  const metrics = new ControllerMetrics();
  const { observeReconcile: settled } = createSourceMetrics(metrics, Date.now);
  const samples = async () =>
    (await metrics.page()).text.split('\n').filter(line => line.startsWith('lintel_exposed_tools{'));
  const labels = (name: string, callers: string) =>
    `lintel_exposed_tools{source="team/gateways",namespace="team",name="${name}",caller_class="${callers}",hint="none"}`;
  const gateway = (name: string, digest: string, callers: ToolCount['callers'], tools: number) =>
    unit(name, { digest, exposedTools: [{ callers, effect: 'none', tools }] });
  const before = outcome([gateway('eng', 'sha256:1', 'granted', 2), gateway('ops', 'sha256:2', 'granted', 5)]);
  const after = outcome([gateway('eng', 'sha256:3', 'anonymous', 7), gateway('new', 'sha256:4', 'anonymous', 1)]);
  const run = (active: { readonly [name: string]: string }, more: Pick<ReconcileReport, 'outcome' | 'applied'>) => {
    const gateways = Object.entries(active).map(([name, digest]) => ({
      kind: 'gateway' as const,
      namespace: 'team',
      name,
      digest,
      activeDigest: digest,
    }));
    settled(told([READY], { ...more, status: { gateways } }), { drift: 0, rejected: [] });
  };
  run({ eng: 'sha256:1', ops: 'sha256:2' }, { outcome: before });
  expect(await samples()).toEqual([`${labels('eng', 'granted')} 2`, `${labels('ops', 'granted')} 5`]);
  // The new bundle waits for its pods, so callers still reach the old one.
  run({ eng: 'sha256:1', ops: 'sha256:2' }, { outcome: after, applied: before });
  expect(await samples()).toEqual([`${labels('eng', 'granted')} 2`, `${labels('ops', 'granted')} 5`]);
  run({ eng: 'sha256:3', new: 'sha256:4' }, { outcome: after, applied: before });
  expect(await samples()).toEqual([`${labels('eng', 'anonymous')} 7`, `${labels('new', 'anonymous')} 1`]);
  const { namespace = '', name } = source().metadata;
  metrics.forget({ namespace, name });
  expect(await samples()).toEqual([]);
});
