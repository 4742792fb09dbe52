import { expect, test } from 'vitest';
import type { StepTarget } from '../../../compiler/analysis/gateway/composites.ts';
import { entries, formatBackendKey, models } from '../../support/gateway-rule.ts';
import { gatewayConfig } from '../../support/rule.ts';

const offers = {
  [formatBackendKey('github')]: {
    tools: ['search', { name: 'delete', annotations: { destructiveHint: true } }],
    prompts: [{ name: 'review' }],
    resources: [{ uri: 'file:///readme', name: 'r' }],
  },
  [formatBackendKey('wiki')]: {
    tools: ['search', { description: 'without a name' }],
    resources: [{ uri: 'file:///readme', name: 'r' }],
  },
};

const AGGREGATION =
  'aggregation: { tools: [{ workload: github, filter: [find], overrides: { search: { name: find, description: Finds } } }] }';

const one = (config: string, catalog = offers) => {
  const [model] = models([gatewayConfig(config), entries('github', 'wiki')], catalog);
  if (model === undefined) throw new Error('no gateway');
  return model;
};

test("the compiler's model of a gateway has the tool names, visibility and definitions that clients see", () => {
  const { tools, prompts, resources, shadowed, isLocked } = one(`{ ${AGGREGATION} }`);
  expect(tools.map(({ name, backend, originalName, advertised }) => [name, backend, originalName, advertised])).toEqual(
    [
      ['github_delete', 'github', 'delete', false],
      ['github_find', 'github', 'search', true],
      ['wiki_search', 'wiki', 'search', true],
    ],
  );
  expect(tools[1]?.definition).toMatchObject({ name: 'github_find', description: 'Finds' });
  expect(prompts.map(({ name }) => name)).toEqual(['github_review']);
  expect(resources.map(({ uri, backend }) => [uri, backend])).toEqual([['file:///readme', 'github']]);
  expect(shadowed).toEqual([{ backend: 'wiki', uri: 'file:///readme' }]);
  expect(isLocked).toBe(true);
});

test("the compiler's model of a gateway has no tools of a backend without a tool lock, and is marked as not locked", () => {
  const { tools, isLocked } = one('{}', {
    [formatBackendKey('wiki')]: { tools: ['search'], resources: [] },
  } as typeof offers);
  expect(tools.map(({ name }) => name)).toEqual(['wiki_search']);
  expect(isLocked).toBe(false);
});

const textOf = (target: StepTarget) =>
  target.type === 'tool' ? `${target.tool.backend}/${target.tool.originalName}` : `unknown, certain: ${target.certain}`;

test.each([
  ['github_find', 'github/search'],
  ['github_delete', 'github/delete'],
  ['github.search', 'github/search'],
  ['github.find', 'unknown, certain: true'],
  ['search', 'unknown, certain: true'],
])('a workflow step with the tool %s calls %s', (tool, expected) => {
  const { composites } = one(`{ ${AGGREGATION}, compositeTools: [{ name: c, steps: [{ id: s, tool: ${tool} }] }] }`);
  expect(composites.flatMap(({ calls }) => calls.map(({ target }) => textOf(target)))).toEqual([expected]);
});

test('the compiler lists calls inside of forEach among the calls of a workflow, and leaves out elicitations', () => {
  const steps =
    '[{ id: ask, type: elicitation, message: m, schema: {} }, { id: each, type: forEach, collection: "[]", step: { id: inner, tool: wiki_search } }]';
  const { composites } = one(`{ compositeTools: [{ name: c, steps: ${steps} }] }`);
  const calls = composites.flatMap(({ calls }) => calls);
  expect(calls.map(({ callPath, target }) => [callPath.join('/'), textOf(target)])).toEqual([
    ['spec/config/compositeTools/0/steps/1/step', 'wiki/search'],
  ]);
});
