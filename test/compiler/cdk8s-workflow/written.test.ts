/** Templates and workflows that are passed unchanged, where the constructs cannot express them. */
import { App, Chart } from 'cdk8s';
import { describe, expect, test } from 'vitest';
import {
  Condition,
  Gateway,
  Group,
  Incoming,
  t,
  Value,
  type When,
  Workflow,
  WorkflowDefinition,
  WrittenWorkflow,
} from '../../../compiler/cdk8s/index.ts';
import { compiled } from '../../support/compiled-chart.ts';

const tool = { backend: 'github', name: 'search' };

function world() {
  const chart = new Chart(new App(), 'world', { disableResourceNameHashes: true });
  const group = new Group(chart, 'tools');
  const gateway = new Gateway(chart, 'eng', { group, incoming: Incoming.anonymous() });
  return { chart, gateway };
}

describe('templates as they are', () => {
  test('stand where values stand', () => {
    const { gateway } = world();
    const wf = new Workflow(gateway, 'triage', { description: 'Sorts issues', input: { repo: 'string' } });
    const found = wf.step('search', tool, { query: Value.template('{{ .params.repo }}') });
    wf.forEach(
      'label',
      Value.template<readonly unknown[]>('{{ .params.list }}'),
      tool,
      () => ({ title: Value.template('{{ .forEach.item.title }}') }),
      { itemId: 'one', after: [found] },
    );
    wf.ask('sure', Value.template('{{ len .params.repo }} letters?'), { yes: 'boolean' });
    wf.step('last', tool, {}, { when: Condition.template('{{ gt (len .params.repo) 3 }}') });
    wf.returns({
      total: { type: 'integer', description: 'Total', value: Value.template<number>('{{ 1 }}'), default: 0 },
      list: { type: 'array', description: 'List', value: Value.template<readonly unknown[]>('[{{ 1 }}]'), default: [] },
    });
    expect(wf.render()).toMatchObject({
      steps: [
        { id: 'search', arguments: { query: '{{ .params.repo }}' } },
        {
          id: 'label',
          collection: '{{ .params.list }}',
          dependsOn: ['search'],
          step: { id: 'one', arguments: { title: '{{ .forEach.item.title }}' } },
        },
        { id: 'sure', message: '{{ len .params.repo }} letters?' },
        { id: 'last', condition: '{{ gt (len .params.repo) 3 }}' },
      ],
      output: { properties: { total: { value: '{{ 1 }}' }, list: { value: '[{{ 1 }}]' } } },
    });
  });

  const template = Value.template('{{ .params.x }}');
  test.each<[string, () => unknown, string]>([
    ['in a text', () => t`a ${template}`, 'a template cannot stand in a text'],
    ['in a list', () => step({ query: [template] }), 'a template is a whole argument'],
    ['with a default', () => Value.withDefault(template, 'a'), 'a value of the workflow is needed'],
    [
      'in a condition',
      () => step({}, Condition.not(Condition.template('{{ .params.x }}'))),
      'a template is a condition by itself, and no part of one',
    ],
  ])('are no part of other values: %s', (_, write, message) => {
    expect(write).toThrow(message);
  });

  function step(args: object, when?: When) {
    const { gateway } = world();
    const wf = new Workflow(gateway, 'triage', { description: 'Sorts issues' });
    return wf.step('search', tool, args, when === undefined ? {} : { when });
  }
});

test('a workflow field by field: as it is, and findings are where it was written', () => {
  const { chart, gateway } = world();
  new WrittenWorkflow(gateway, 'triage', {
    name: 'triage_issues',
    steps: [{ id: 'search', tool: 'github.search', dependsOn: ['nobody'] }],
  });
  expect(chart.toJson().at(-1).spec.config.compositeTools).toEqual([
    { name: 'triage_issues', steps: [{ id: 'search', tool: 'github.search', dependsOn: ['nobody'] }] },
  ]);
  expect(compiled(chart).findings.join()).toContain('LNT7002');
});

test('a definition that is declared elsewhere', () => {
  const { chart, gateway } = world();
  gateway.addOwnTool(WorkflowDefinition.existing('triage', 'triage_issues'));
  expect(chart.toJson().at(-1).spec.config.compositeToolRefs).toEqual([{ name: 'triage' }]);
});
