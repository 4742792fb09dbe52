/** Templates and workflows that a program writes as plain text or objects, because the constructs cannot express them. */
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

describe('Go templates in constructs', () => {
  test('Value.template and Condition.template put Go templates unchanged into arguments, loops, questions, conditions and results', () => {
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
    ['a text', () => t`a ${template}`, 'a template cannot stand in a text'],
    ['a list', () => step({ query: [template] }), 'a template is a whole argument'],
    ['a value with a default', () => Value.withDefault(template, 'a'), 'a value of the workflow is needed'],
    [
      'a composed condition',
      () => step({}, Condition.not(Condition.template('{{ .params.x }}'))),
      'a template is a condition by itself, and no part of one',
    ],
  ])('the workflow constructs refuse a Go template inside of %s', (_, write, message) => {
    expect(write).toThrow(message);
  });

  function step(args: object, when?: When) {
    const { gateway } = world();
    const wf = new Workflow(gateway, 'triage', { description: 'Sorts issues' });
    return wf.step('search', tool, args, when === undefined ? {} : { when });
  }
});

test('the WrittenWorkflow construct writes the fields of a workflow unchanged, and the compiler reports a mistake in a field', () => {
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

test('WorkflowDefinition.existing refers to a definition that another program declares', () => {
  const { chart, gateway } = world();
  gateway.addOwnTool(WorkflowDefinition.existing('triage', 'triage_issues'));
  expect(chart.toJson().at(-1).spec.config.compositeToolRefs).toEqual([{ name: 'triage' }]);
});
