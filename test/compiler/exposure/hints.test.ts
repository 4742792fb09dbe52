import { expect, test } from 'vitest';
import { readCompositeHints, readToolHints } from '../../../compiler/analysis/exposure/hints.ts';
import { formatHints } from '../../../compiler/analysis/exposure/render/words.ts';
import { entries, formatBackendKey, models } from '../../support/gateway-rule.ts';
import { gatewayConfig } from '../../support/rule.ts';

test.each<[string, object | undefined, object | undefined, string]>([
  ['nothing is known', undefined, undefined, '?'],
  [
    'read-only',
    { readOnlyHint: true, destructiveHint: true, idempotentHint: true },
    undefined,
    'read-only, idempotent',
  ],
  ['a tool that writes may destroy', { readOnlyHint: false }, undefined, 'writes, destructive?'],
  ['unless it says that it only adds', { readOnlyHint: false, destructiveHint: false }, undefined, 'writes, additive'],
  ['destructive', { destructiveHint: true, openWorldHint: true }, undefined, 'destructive, open world'],
  ['an override wins, with a star', { destructiveHint: false }, { readOnlyHint: true }, 'read-only*'],
  [
    'an override that denies what the backend says: both are shown',
    { readOnlyHint: false },
    { readOnlyHint: true },
    'read-only*, but writes, destructive? by its backend',
  ],
  [
    'a destructive tool that an override calls read-only',
    { destructiveHint: true },
    { readOnlyHint: true, openWorldHint: true },
    'read-only*, open world*, but destructive by its backend',
  ],
  ['an override that says more is believed', { readOnlyHint: true }, { readOnlyHint: false }, 'writes*, destructive?'],
  ['values that are no booleans count for nothing', { readOnlyHint: 'yes' }, undefined, '?'],
])('%s', (_, own, override, text) => {
  const definition = { name: 't', annotations: { ...own, ...override } };
  const offered = { name: 't', annotations: { ...own } };
  expect(formatHints(readToolHints({ definition, offered }, override && { annotations: override }))).toBe(text);
});

const OFFERS = {
  [formatBackendKey('pg')]: {
    tools: [
      { name: 'query', annotations: { readOnlyHint: true, openWorldHint: false } },
      { name: 'drop', annotations: { readOnlyHint: false, destructiveHint: true } },
      { name: 'insert', annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false } },
      { name: 'post', annotations: { readOnlyHint: true, openWorldHint: true } },
      'mystery',
    ],
  },
};

test.each<[readonly string[], string]>([
  [['query'], 'read-only'],
  [['query', 'post'], 'read-only, open world'],
  [['query', 'insert'], 'writes, additive'],
  [['insert', 'drop'], 'writes, destructive'],
  [['query', 'mystery'], '?'],
  [['mystery', 'drop'], 'writes, destructive'],
  [['nothing'], '?'],
])('a workflow over %j is %s', (tools, text) => {
  const steps = tools.map(tool => `{ id: ${tool}, tool: pg.${tool} }`).join(', ');
  const config = `{ compositeTools: [{ name: flow, steps: [${steps}] }] }`;
  const [model] = models([gatewayConfig(config), entries('pg')], OFFERS);
  expect(model?.composites.map(composite => formatHints(readCompositeHints(composite)))).toEqual([text]);
});

test('an override does not make a workflow safer than the backend says', () => {
  const config = `{
    aggregation: { tools: [{ workload: pg, overrides: { drop: { annotations: { readOnlyHint: true } } } }] },
    compositeTools: [{ name: flow, steps: [{ id: a, tool: pg.drop }] }] }`;
  const [model] = models([gatewayConfig(config), entries('pg')], OFFERS);
  expect(model?.composites.map(composite => formatHints(readCompositeHints(composite)))).toEqual([
    'read-only, but writes, destructive by its backend',
  ]);
});

test('what a workflow says of itself is shown as it says it', () => {
  const config =
    '{ compositeTools: [{ name: flow, annotations: { readOnlyHint: true }, steps: [{ id: a, tool: pg.drop }] }] }';
  const [model] = models([gatewayConfig(config), entries('pg')], OFFERS);
  expect(model?.composites.map(readCompositeHints)).toEqual([
    { readOnlyHint: { value: true, from: 'spec', backend: false }, destructiveHint: { value: true, from: 'steps' } },
  ]);
});
