// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are programs
import { describe, expect, test } from 'vitest';
import { typeErrors } from '../../support/type-check.ts';
import { LOCK_TYPES } from './lock.ts';

const HEAD = `import { App, Chart } from 'cdk8s';
import { Condition, t, bindTools, Value, type Ref, WorkflowDefinition } from 'lintel/cdk8s';
import { z } from 'zod';
import { catalog } from './lintel.lock.ts';
const github = { tools: bindTools(catalog.github) };
const chart = new Chart(new App(), 'c');
const wf = new WorkflowDefinition(chart, 'triage', {
  description: 'Sorts issues',
  input: { repo: 'string', page: 'integer', note: 'string?', labels: 'string[]', flag: 'boolean', order: { enum: ['asc', 'desc'] }, limit: { type: 'integer', default: 3 } },
});
const { input } = wf;
const found = wf.step('search', github.tools.search, { query: 'x' });
const file = wf.step('file', github.tools.read_file, { path: 'x' });
const maybe = wf.step('maybe', github.tools.search, { query: 'x' }, { when: input.flag });
const sure = wf.step('sure', github.tools.search, { query: 'x' }, { when: input.flag, defaultResults: { total: 0, items: [] } });
`;

/** Valid statements, and statements with one error each. */
const STATEMENTS: readonly (readonly [name: string, statement: string, isRight: boolean])[] = [
  [
    'literal arguments',
    `wf.step('a', github.tools.search, { query: 'x', page: 1, order: 'asc', labels: ['a'], filter: { open: true } });`,
    true,
  ],
  [
    'references as arguments',
    `wf.step('a', github.tools.search, { query: input.repo, page: input.page, order: input.order, labels: input.labels, filter: { open: input.flag } });`,
    true,
  ],
  [
    'a text with references as an argument',
    'wf.step("a", github.tools.search, { query: t`repo:${input.repo} ${found.output.total} ${found.output.items[0].title}`, labels: [t`x${input.page}`, "y"] });',
    true,
  ],
  [
    'a tool without a known schema in a forEach',
    "wf.forEach('each', input.labels, { backend: 'github', name: 'label' }, item => ({ label: item }));",
    true,
  ],
  [
    'a template of the wrong type',
    `wf.step('a', github.tools.search, { query: Value.template<number>('{{ 1 }}') });`,
    false,
  ],
  ['an input with a default', `wf.step('a', github.tools.search, { query: 'x', page: input.limit });`, true],
  ['an unknown tool', `wf.step('a', github.tools.serach, { query: 'x' });`, false],
  ['an unknown argument', `wf.step('a', github.tools.search, { query: 'x', pgae: 1 });`, false],
  [
    'an unknown property of an argument',
    `wf.step('a', github.tools.search, { query: 'x', filter: { opne: true } });`,
    false,
  ],
  ['a missing argument', `wf.step('a', github.tools.search, { page: 1 });`, false],
  ['a literal of the wrong type', `wf.step('a', github.tools.search, { query: 1 });`, false],
  ['a literal outside of the enum', `wf.step('a', github.tools.search, { query: 'x', order: 'up' });`, false],
  ['a reference of the wrong type', `wf.step('a', github.tools.search, { query: found.output.total });`, false],
  [
    'a reference to any string where an enum is expected',
    `wf.step('a', github.tools.search, { query: 'x', order: input.repo });`,
    false,
  ],
  [
    'a text where a number is expected',
    'wf.step("a", github.tools.search, { query: "x", page: t`${input.page}` });',
    false,
  ],
  ['a value that may be missing', `wf.step('a', github.tools.search, { query: input.note });`, false],
  ['a text with a value that may be missing', 'wf.step("a", github.tools.search, { query: t`${input.note}` });', false],
  [
    'a value that may be missing, with a default',
    `wf.step('a', github.tools.search, { query: Value.withDefault(input.note, 'none') });`,
    true,
  ],
  [
    'a default of another type',
    `wf.step('a', github.tools.search, { query: Value.withDefault(found.output.next.page, 'none') });`,
    false,
  ],
  [
    'a field of a value that may be missing',
    `wf.step('a', github.tools.search, { query: 'x', page: found.output.next.page });`,
    false,
  ],
  [
    'a field of a value that may be missing, with a default',
    `wf.step('a', github.tools.search, { query: 'x', page: Value.withDefault(found.output.next.page, 1) });`,
    true,
  ],
  ['an undeclared input', `wf.step('a', github.tools.search, { query: input.rpeo });`, false],
  ['an unknown field of an output', `wf.step('a', github.tools.search, { query: found.output.titel });`, false],
  [
    'the text output of a tool without output schema',
    `wf.step('a', github.tools.search, { query: file.output.text });`,
    true,
  ],
  [
    'a named output field of a tool without output schema',
    `wf.step('a', github.tools.search, { query: file.output.title });`,
    false,
  ],
  [
    'Value.fromJson of a text output',
    `wf.step('a', github.tools.search, { query: Value.fromJson<{ a: string }>(file.output.text).a });`,
    true,
  ],
  [
    'a list item by index',
    `wf.step('a', github.tools.search, { query: Value.item(found.output.items, 12).title });`,
    true,
  ],
  [
    'the output of a step that may be skipped',
    `wf.step('a', github.tools.search, { query: 'x', page: maybe.output.total });`,
    false,
  ],
  [
    'the output of a step that may be skipped, with default results',
    `wf.step('a', github.tools.search, { query: 'x', page: sure.output.total });`,
    true,
  ],
  [
    'the output of a step that may fail',
    `wf.step('b', github.tools.search, { query: 'x' }, { onError: 'continue' }).output;`,
    false,
  ],
  [
    'the output of a step that is retried',
    `wf.step('b', github.tools.search, { query: 'x' }, { onError: { retry: 3 } }).output;`,
    true,
  ],
  [
    'default results of the wrong type',
    `wf.step('b', github.tools.search, { query: 'x' }, { onError: 'continue', defaultResults: { total: '0', items: [] } });`,
    false,
  ],
  [
    'default results that lack a field',
    `wf.step('b', github.tools.search, { query: 'x' }, { onError: 'continue', defaultResults: { total: 0 } });`,
    false,
  ],
  ['zero retries', `wf.step('b', github.tools.search, { query: 'x' }, { onError: { retry: 0 } });`, false],
  ['an unknown step option', `wf.step('b', github.tools.search, { query: 'x' }, { wehn: input.flag });`, false],
  ['an invalid timeout', `wf.step('b', github.tools.search, { query: 'x' }, { timeout: 'soon' });`, false],
  ['a valid timeout', `wf.step('b', github.tools.search, { query: 'x' }, { timeout: '1m30s', after: [maybe] });`, true],
  [
    'conditions combined by and',
    `Condition.and(Condition.gt(found.output.total, 0), Condition.eq(input.order, 'asc'), input.flag, Condition.not(Condition.exists(input.note)));`,
    true,
  ],
  ['a comparison of a nullable field', `Condition.eq(found.output.items[0].body, 'x');`, true],
  ['a comparison with another type', `Condition.eq(found.output.total, '0');`, false],
  ['a comparison with a text outside of the enum', `Condition.eq(input.order, 'up');`, false],
  ['greater-than of booleans', `Condition.gt(input.flag, false);`, false],
  [
    'a condition that is no boolean',
    `wf.step('b', github.tools.search, { query: 'x' }, { when: found.output.total });`,
    false,
  ],
  ['a condition in a text', 't`${Condition.gt(found.output.total, 0)}`;', false],
  ['a reference where a plain value is needed', `const total: number = found.output.total;`, false],
  [
    'a forEach',
    'wf.forEach("b", found.output.items, github.tools.create_issue, (issue, index) => ({ title: t`${index} ${issue.title}`, count: issue.number }), { maxParallel: 2 });',
    true,
  ],
  [
    'the output of a forEach',
    'wf.step("c", github.tools.create_issue, { title: "x", count: wf.forEach("b", found.output.items, github.tools.create_issue, issue => ({ title: issue.title })).output.iterations[0].output.number });',
    true,
  ],
  [
    'a forEach over a number',
    `wf.forEach('b', found.output.total, github.tools.create_issue, () => ({ title: 'x' }));`,
    false,
  ],
  [
    'a forEach with an argument of the wrong type',
    `wf.forEach('b', found.output.items, github.tools.create_issue, issue => ({ title: issue.number }));`,
    false,
  ],
  [
    'a forEach with an unknown argument',
    `wf.forEach('b', found.output.items, github.tools.create_issue, issue => ({ title: 'x', titel: 'y' }));`,
    false,
  ],
  [
    'the answer to a question',
    'const answer = wf.ask("b", t`Close ${found.output.total}?`, { reason: "string", silent: "boolean?" }); wf.step("c", github.tools.search, { query: answer.output.content.reason });',
    true,
  ],
  [
    'an undeclared field of an answer',
    `const answer = wf.ask('b', 'Close?', { reason: 'string' }); wf.step('c', github.tools.search, { query: answer.output.content.cause });`,
    false,
  ],
  [
    'the answer to a question that a person may decline',
    `const answer = wf.ask('b', 'Close?', { reason: 'string' }, { onDecline: 'continue' }); wf.step('c', github.tools.search, { query: answer.output.content.reason });`,
    false,
  ],
  [
    'declared results',
    `wf.returns({ total: { type: 'integer', description: 'Open', value: found.output.total }, more: { type: 'object', description: 'More', properties: { title: { type: 'string', description: 'First', value: found.output.items[0].title } } } }, { required: ['total'] });`,
    true,
  ],
  [
    'a result of the wrong type',
    `wf.returns({ total: { type: 'integer', description: 'Open', value: input.repo } });`,
    false,
  ],
  [
    'a result that may be missing',
    `wf.returns({ note: { type: 'string', description: 'Note', value: input.note } });`,
    false,
  ],
  [
    'a result that may be missing, with a default',
    `wf.returns({ note: { type: 'string', description: 'Note', value: input.note, default: '' } });`,
    true,
  ],
  ['a result without a description', `wf.returns({ total: { type: 'integer', value: found.output.total } });`, false],
  [
    'a required result that may be missing',
    `wf.returns({ total: { type: 'integer', description: 'Open', value: found.output.total } }, { required: ['totl'] });`,
    false,
  ],
  [
    'an input of an unknown type',
    `new WorkflowDefinition(chart, 'w', { description: 'x', input: { a: 'text' } });`,
    false,
  ],
  ['a workflow definition without a description', `new WorkflowDefinition(chart, 'w', {});`, false],
  [
    'an input declared by a JSON schema',
    `const w = new WorkflowDefinition(chart, 'w', { description: 'x', input: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'array', items: { type: 'object', properties: { c: { enum: [1, 2] } }, required: ['c'] } } }, required: ['a', 'b'] } }); const a: Ref<string> = w.input.a; const c: Ref<1 | 2> = w.input.b[3].c;`,
    true,
  ],
  [
    'an input declared by zod',
    `const w = new WorkflowDefinition(chart, 'w', { description: 'x', input: z.object({ a: z.string(), b: z.enum(['x']).optional() }) }); const a: Ref<string> = w.input.a; const b: Ref<'x' | undefined> = w.input.b;`,
    true,
  ],
  [
    'an undeclared field of a zod input',
    `const w = new WorkflowDefinition(chart, 'w', { description: 'x', input: z.object({ a: z.string() }) }); w.input.b;`,
    false,
  ],
  [
    'an undeclared field of a JSON schema input',
    `const w = new WorkflowDefinition(chart, 'w', { description: 'x', input: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } }); w.input.b;`,
    false,
  ],
];

const app = `${HEAD}${STATEMENTS.map(([, statement]) => `{ ${statement} }`).join('\n')}\n`;
const firstLine = HEAD.split('\n').length;

describe.each([false, true])('workflow programs with plain compiler options: %s', isPlain => {
  /** All in one compilation, because loading the libraries takes most of the time. */
  const errorsByLine = new Map<string, string[]>();
  for (const error of typeErrors({ 'lintel.lock.ts': LOCK_TYPES, 'app.ts': app }, { isPlain })) {
    const place = error.split(' ')[0] ?? '';
    errorsByLine.set(place, [...(errorsByLine.get(place) ?? []), error]);
  }

  test('the code around the tested workflow statements type-checks, and so does the lock', () => {
    const places = new Set(STATEMENTS.map((_, index) => `app.ts:${firstLine + index}`));
    expect([...errorsByLine].filter(([place]) => !places.has(place))).toEqual([]);
  });

  test.each(STATEMENTS.map(([name, statement, isRight], index) => ({ name, statement, isRight, index })))(
    'the type check of a workflow program with $name succeeds: $isRight',
    ({ isRight, index }) => {
      const errors = errorsByLine.get(`app.ts:${firstLine + index}`) ?? [];
      if (isRight) expect(errors).toEqual([]);
      else expect(errors).not.toEqual([]);
    },
  );
});
