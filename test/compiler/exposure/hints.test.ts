import { expect, test } from 'vitest';
import { readCompositeHints, readToolHints } from '../../../compiler/analysis/exposure/hints.ts';
import { formatHints } from '../../../compiler/analysis/exposure/render/words.ts';
import { entries, formatBackendKey, models } from '../../support/gateway-rule.ts';
import { gatewayConfig } from '../../support/rule.ts';

test.each<[string, object | undefined, object | undefined, string]>([
  ['a tool without annotations', undefined, undefined, '?'],
  [
    'a read-only tool',
    { readOnlyHint: true, destructiveHint: true, idempotentHint: true },
    undefined,
    'read-only, idempotent',
  ],
  ['a tool that writes and may destroy', { readOnlyHint: false }, undefined, 'writes, destructive?'],
  ['a tool that only adds', { readOnlyHint: false, destructiveHint: false }, undefined, 'writes, additive'],
  ['a destructive tool', { destructiveHint: true, openWorldHint: true }, undefined, 'destructive, open world'],
  ['an override, marked by a star', { destructiveHint: false }, { readOnlyHint: true }, 'read-only*'],
  [
    'an override that contradicts the backend, with both values',
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
  [
    'an override that is less safe than the backend',
    { readOnlyHint: true },
    { readOnlyHint: false },
    'writes*, destructive?',
  ],
  ['annotations that are no Booleans', { readOnlyHint: 'yes' }, undefined, '?'],
])('the report of `lintel exposure` summarizes tool annotations: %s', (_, own, override, text) => {
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
])('the report of `lintel exposure` summarizes a workflow over the tools %j as "%s"', (tools, text) => {
  const steps = tools.map(tool => `{ id: ${tool}, tool: pg.${tool} }`).join(', ');
  const config = `{ compositeTools: [{ name: flow, steps: [${steps}] }] }`;
  const [model] = models([gatewayConfig(config), entries('pg')], OFFERS);
  expect(model?.composites.map(composite => formatHints(readCompositeHints(composite)))).toEqual([text]);
});

test('`lintel exposure` calls a workflow destructive if the backend calls its tool destructive, although an override says read-only', () => {
  const config = `{
    aggregation: { tools: [{ workload: pg, overrides: { drop: { annotations: { readOnlyHint: true } } } }] },
    compositeTools: [{ name: flow, steps: [{ id: a, tool: pg.drop }] }] }`;
  const [model] = models([gatewayConfig(config), entries('pg')], OFFERS);
  expect(model?.composites.map(composite => formatHints(readCompositeHints(composite)))).toEqual([
    'read-only, but writes, destructive by its backend',
  ]);
});

test('the report of `lintel exposure` shows the annotations that the spec of a workflow sets', () => {
  const config =
    '{ compositeTools: [{ name: flow, annotations: { readOnlyHint: true }, steps: [{ id: a, tool: pg.drop }] }] }';
  const [model] = models([gatewayConfig(config), entries('pg')], OFFERS);
  expect(model?.composites.map(readCompositeHints)).toEqual([
    { readOnlyHint: { value: true, from: 'spec', backend: false }, destructiveHint: { value: true, from: 'steps' } },
  ]);
});
