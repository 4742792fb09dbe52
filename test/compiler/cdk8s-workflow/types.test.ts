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
    'a literal',
    `wf.step('a', github.tools.search, { query: 'x', page: 1, order: 'asc', labels: ['a'], filter: { open: true } });`,
    true,
  ],
  [
    'a reference',
    `wf.step('a', github.tools.search, { query: input.repo, page: input.page, order: input.order, labels: input.labels, filter: { open: input.flag } });`,
    true,
  ],
  [
    'a text',
    'wf.step("a", github.tools.search, { query: t`repo:${input.repo} ${found.output.total} ${found.output.items[0].title}`, labels: [t`x${input.page}`, "y"] });',
    true,
  ],
  [
    'a tool of which nothing is known, for each item',
    "wf.forEach('each', input.labels, { backend: 'github', name: 'label' }, item => ({ label: item }));",
    true,
  ],
  [
    'a template of another type',
    `wf.step('a', github.tools.search, { query: Value.template<number>('{{ 1 }}') });`,
    false,
  ],
  ['a default of the input is there', `wf.step('a', github.tools.search, { query: 'x', page: input.limit });`, true],
  ['a wrong tool', `wf.step('a', github.tools.serach, { query: 'x' });`, false],
  ['a wrong argument name', `wf.step('a', github.tools.search, { query: 'x', pgae: 1 });`, false],
  ['a wrong argument name below', `wf.step('a', github.tools.search, { query: 'x', filter: { opne: true } });`, false],
  ['a missing argument', `wf.step('a', github.tools.search, { page: 1 });`, false],
  ['a literal of a wrong type', `wf.step('a', github.tools.search, { query: 1 });`, false],
  ['a literal that is none of the choices', `wf.step('a', github.tools.search, { query: 'x', order: 'up' });`, false],
  ['a reference of a wrong type', `wf.step('a', github.tools.search, { query: found.output.total });`, false],
  [
    'a reference that may be anything, for a choice',
    `wf.step('a', github.tools.search, { query: 'x', order: input.repo });`,
    false,
  ],
  ['text for a number', 'wf.step("a", github.tools.search, { query: "x", page: t`${input.page}` });', false],
  ['what may be missing', `wf.step('a', github.tools.search, { query: input.note });`, false],
  ['what may be missing in a text', 'wf.step("a", github.tools.search, { query: t`${input.note}` });', false],
  [
    'what may be missing, with a default',
    `wf.step('a', github.tools.search, { query: Value.withDefault(input.note, 'none') });`,
    true,
  ],
  [
    'a default of another type',
    `wf.step('a', github.tools.search, { query: Value.withDefault(found.output.next.page, 'none') });`,
    false,
  ],
  [
    'below what may be missing',
    `wf.step('a', github.tools.search, { query: 'x', page: found.output.next.page });`,
    false,
  ],
  [
    'below what may be missing, with a default',
    `wf.step('a', github.tools.search, { query: 'x', page: Value.withDefault(found.output.next.page, 1) });`,
    true,
  ],
  ['an input that is not declared', `wf.step('a', github.tools.search, { query: input.rpeo });`, false],
  ['a field that the output does not have', `wf.step('a', github.tools.search, { query: found.output.titel });`, false],
  ['the text of a tool without output schema', `wf.step('a', github.tools.search, { query: file.output.text });`, true],
  [
    'a field of a tool without output schema',
    `wf.step('a', github.tools.search, { query: file.output.title });`,
    false,
  ],
  [
    'JSON in a text',
    `wf.step('a', github.tools.search, { query: Value.fromJson<{ a: string }>(file.output.text).a });`,
    true,
  ],
  ['an item by index', `wf.step('a', github.tools.search, { query: Value.item(found.output.items, 12).title });`, true],
  [
    'the output of a step that may be skipped',
    `wf.step('a', github.tools.search, { query: 'x', page: maybe.output.total });`,
    false,
  ],
  [
    'the output of a step that may be skipped and has results for that',
    `wf.step('a', github.tools.search, { query: 'x', page: sure.output.total });`,
    true,
  ],
  [
    'the output of a step that may fail',
    `wf.step('b', github.tools.search, { query: 'x' }, { onError: 'continue' }).output;`,
    false,
  ],
  [
    'the output of a step that is tried again',
    `wf.step('b', github.tools.search, { query: 'x' }, { onError: { retry: 3 } }).output;`,
    true,
  ],
  [
    'results that do not fit',
    `wf.step('b', github.tools.search, { query: 'x' }, { onError: 'continue', defaultResults: { total: '0', items: [] } });`,
    false,
  ],
  [
    'results without a field',
    `wf.step('b', github.tools.search, { query: 'x' }, { onError: 'continue', defaultResults: { total: 0 } });`,
    false,
  ],
  ['no retries', `wf.step('b', github.tools.search, { query: 'x' }, { onError: { retry: 0 } });`, false],
  ['an unknown option', `wf.step('b', github.tools.search, { query: 'x' }, { wehn: input.flag });`, false],
  ['a timeout that is none', `wf.step('b', github.tools.search, { query: 'x' }, { timeout: 'soon' });`, false],
  ['a timeout', `wf.step('b', github.tools.search, { query: 'x' }, { timeout: '1m30s', after: [maybe] });`, true],
  [
    'a comparison',
    `Condition.and(Condition.gt(found.output.total, 0), Condition.eq(input.order, 'asc'), input.flag, Condition.not(Condition.exists(input.note)));`,
    true,
  ],
  ['a comparison of a nullable', `Condition.eq(found.output.items[0].body, 'x');`, true],
  ['a comparison with another type', `Condition.eq(found.output.total, '0');`, false],
  ['a comparison with none of the choices', `Condition.eq(input.order, 'up');`, false],
  ['an order of booleans', `Condition.gt(input.flag, false);`, false],
  [
    'a condition that is no boolean',
    `wf.step('b', github.tools.search, { query: 'x' }, { when: found.output.total });`,
    false,
  ],
  ['a condition in a text', 't`${Condition.gt(found.output.total, 0)}`;', false],
  ['a reference where a value must be', `const total: number = found.output.total;`, false],
  [
    'a forEach',
    'wf.forEach("b", found.output.items, github.tools.create_issue, (issue, index) => ({ title: t`${index} ${issue.title}`, count: issue.number }), { maxParallel: 2 });',
    true,
  ],
  [
    'what a forEach gives',
    'wf.step("c", github.tools.create_issue, { title: "x", count: wf.forEach("b", found.output.items, github.tools.create_issue, issue => ({ title: issue.title })).output.iterations[0].output.number });',
    true,
  ],
  [
    'a forEach over what is no list',
    `wf.forEach('b', found.output.total, github.tools.create_issue, () => ({ title: 'x' }));`,
    false,
  ],
  [
    'a forEach with a wrong argument',
    `wf.forEach('b', found.output.items, github.tools.create_issue, issue => ({ title: issue.number }));`,
    false,
  ],
  [
    'a forEach with an argument too many',
    `wf.forEach('b', found.output.items, github.tools.create_issue, issue => ({ title: 'x', titel: 'y' }));`,
    false,
  ],
  [
    'a question',
    'const answer = wf.ask("b", t`Close ${found.output.total}?`, { reason: "string", silent: "boolean?" }); wf.step("c", github.tools.search, { query: answer.output.content.reason });',
    true,
  ],
  [
    'what a question does not ask',
    `const answer = wf.ask('b', 'Close?', { reason: 'string' }); wf.step('c', github.tools.search, { query: answer.output.content.cause });`,
    false,
  ],
  [
    'the answer of a person who may decline',
    `const answer = wf.ask('b', 'Close?', { reason: 'string' }, { onDecline: 'continue' }); wf.step('c', github.tools.search, { query: answer.output.content.reason });`,
    false,
  ],
  [
    'a result',
    `wf.returns({ total: { type: 'integer', description: 'Open', value: found.output.total }, more: { type: 'object', description: 'More', properties: { title: { type: 'string', description: 'First', value: found.output.items[0].title } } } }, { required: ['total'] });`,
    true,
  ],
  [
    'a result of another type',
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
    'a required result that is not there',
    `wf.returns({ total: { type: 'integer', description: 'Open', value: found.output.total } }, { required: ['totl'] });`,
    false,
  ],
  [
    'an input of an unknown word',
    `new WorkflowDefinition(chart, 'w', { description: 'x', input: { a: 'text' } });`,
    false,
  ],
  ['no description', `new WorkflowDefinition(chart, 'w', {});`, false],
  [
    'an input schema',
    `const w = new WorkflowDefinition(chart, 'w', { description: 'x', input: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'array', items: { type: 'object', properties: { c: { enum: [1, 2] } }, required: ['c'] } } }, required: ['a', 'b'] } }); const a: Ref<string> = w.input.a; const c: Ref<1 | 2> = w.input.b[3].c;`,
    true,
  ],
  [
    'an input of zod',
    `const w = new WorkflowDefinition(chart, 'w', { description: 'x', input: z.object({ a: z.string(), b: z.enum(['x']).optional() }) }); const a: Ref<string> = w.input.a; const b: Ref<'x' | undefined> = w.input.b;`,
    true,
  ],
  [
    'an input of zod that is not there',
    `const w = new WorkflowDefinition(chart, 'w', { description: 'x', input: z.object({ a: z.string() }) }); w.input.b;`,
    false,
  ],
  [
    'a field that an input schema does not have',
    `const w = new WorkflowDefinition(chart, 'w', { description: 'x', input: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } }); w.input.b;`,
    false,
  ],
];

const app = `${HEAD}${STATEMENTS.map(([, statement]) => `{ ${statement} }`).join('\n')}\n`;
const firstLine = HEAD.split('\n').length;

describe.each([false, true])('with options as most projects have them: %s', isPlain => {
  /** All in one compilation, because loading the libraries takes most of the time. */
  const errorsByLine = new Map<string, string[]>();
  for (const error of typeErrors({ 'lintel.lock.ts': LOCK_TYPES, 'app.ts': app }, { isPlain })) {
    const place = error.split(' ')[0] ?? '';
    errorsByLine.set(place, [...(errorsByLine.get(place) ?? []), error]);
  }

  test('what stands before the statements is right, and so is the lock', () => {
    const places = new Set(STATEMENTS.map((_, index) => `app.ts:${firstLine + index}`));
    expect([...errorsByLine].filter(([place]) => !places.has(place))).toEqual([]);
  });

  test.each(STATEMENTS.map(([name, statement, isRight], index) => ({ name, statement, isRight, index })))(
    '$name: $isRight',
    ({ isRight, index }) => {
      const errors = errorsByLine.get(`app.ts:${firstLine + index}`) ?? [];
      if (isRight) expect(errors).toEqual([]);
      else expect(errors).not.toEqual([]);
    },
  );
});
