import { expect, test } from 'vitest';
import { entries, findings, formatBackendKey, judge, object } from '../../../support/gateway-rule.ts';
import { gatewayConfig } from '../../../support/rule.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    repo: { type: 'string', pattern: '^[^/]+/[^/]+$' },
    limit: { type: 'integer', minimum: 1, maximum: 100 },
    state: { enum: ['open', 'closed'] },
    labels: { type: 'array', items: { type: 'string' } },
    dry: { type: 'boolean' },
    where: { $ref: '#/$defs/place' },
  },
  required: ['repo'],
  $defs: { place: { type: 'object', properties: { line: { type: 'integer' } }, required: ['line'] } },
};
const tool = (name: string, schema: object) => ({ name, inputSchema: { ...SCHEMA, ...schema } });
const OFFERS = {
  [formatBackendKey('a')]: { tools: [tool('open', {}), tool('closed', { additionalProperties: false })] },
};

const calling = (step: string) => gatewayConfig(`{ compositeTools: [{ name: w, steps: [{ id: s, ${step} }] }] }`);
const said = (step: string) =>
  findings('argumentsAgainstSchema', [calling(step), entries('a')], OFFERS).map(
    ({ severity, message, fix }) => `${severity} ${message}${fix === undefined ? '' : ` | ${fix}`}`,
  );

test.each<[string, string, string[]]>([
  [
    'arguments that match the schema',
    'tool: a.open, arguments: { repo: a/b, limit: 5, state: open, labels: [x], dry: true, where: { line: 1 } }',
    [],
  ],
  [
    'templates as arguments',
    'tool: a.closed, arguments: { repo: "{{ .params.r }}", limit: "{{ .params.l }}", labels: "{{ json .params.x }}" }',
    [],
  ],
  [
    'texts that the gateway converts',
    'tool: a.open, arguments: { repo: a/b, limit: "5", dry: "true", labels: \'["x"]\', where: \'{"line":1}\' }',
    [],
  ],
  ['no arguments', 'tool: a.open', ['error "open" of "a" needs the argument "repo"']],
  [
    'a misspelt argument of a schema with additional properties',
    'tool: a.open, arguments: { repos: a/b }',
    [
      'error "open" of "a" needs the argument "repo"',
      'warning "open" of "a" has no argument "repos" | did you mean "repo"?',
    ],
  ],
  ['an unknown argument of a schema with additional properties', 'tool: a.open, arguments: { repo: a/b, quux: 1 }', []],
  ['an unknown argument like a given argument', 'tool: a.open, arguments: { repo: a/b, repos: a/b }', []],
  [
    'an unknown argument of a closed schema',
    'tool: a.closed, arguments: { repo: a/b, quux: 1 }',
    [
      'error "closed" of "a" has no argument "quux" | its arguments: "repo", "limit", "state", "labels", "dry" and 1 more',
    ],
  ],
  [
    'an argument of the wrong type',
    'tool: a.open, arguments: { repo: 5 }',
    ['error argument "repo" of "open" of "a" must be string, not number'],
  ],
  [
    'a text that is no number',
    'tool: a.open, arguments: { repo: a/b, limit: many }',
    ['error argument "limit" of "open" of "a" must be integer, not string'],
  ],
  [
    'a number above the maximum',
    'tool: a.open, arguments: { repo: a/b, limit: 500 }',
    ['error argument "limit" of "open" of "a" must be at most 100'],
  ],
  [
    'a number above the maximum as a text',
    'tool: a.open, arguments: { repo: a/b, limit: "500" }',
    ['error argument "limit" of "open" of "a" must be at most 100'],
  ],
  [
    'a text that does not match the pattern',
    'tool: a.open, arguments: { repo: abc }',
    ['error argument "repo" of "open" of "a" must match ^[^/]+/[^/]+$'],
  ],
  [
    'a value outside of the enum',
    'tool: a.open, arguments: { repo: a/b, state: all }',
    ['error argument "state" of "open" of "a" must be one of "open", "closed"'],
  ],
  [
    'a null in a list',
    'tool: a.open, arguments: { repo: a/b, labels: [x, ~] }',
    ['error argument "labels[1]" of "open" of "a" must be string, not null'],
  ],
  [
    'a wrong type behind a $ref',
    'tool: a.open, arguments: { repo: a/b, where: { line: x } }',
    ['error argument "where.line" of "open" of "a" must be integer, not string'],
  ],
  [
    'a missing property behind a $ref',
    'tool: a.open, arguments: { repo: a/b, where: {} }',
    ['error argument "where" of "open" of "a" must have "line"'],
  ],
  [
    'a step inside of a forEach',
    'type: forEach, collection: "[]", step: { id: i, tool: a.open, arguments: { repo: "{{ .forEach.item }}", dry: maybe } }',
    ['error argument "dry" of "open" of "a" must be boolean, not string'],
  ],
  ['an unknown tool', 'tool: a.quux, arguments: { repo: 5 }', []],
])('the rule argumentsAgainstSchema gives the expected findings for: %s', (_, step, expected) => {
  expect(said(step)).toEqual(expected);
});

test('LNT7007, about arguments that do not fit a tool, points to the argument, to the arguments, or to a step without arguments', () => {
  expect(
    judge('argumentsAgainstSchema', [calling('tool: a.open, arguments: { limit: 500 }'), entries('a')], OFFERS),
  ).toEqual([
    'LNT7007 error 7:72 "open" of "a" needs the argument "repo"',
    'LNT7007 error 7:92 argument "limit" of "open" of "a" must be at most 100',
  ]);
  expect(judge('argumentsAgainstSchema', [calling('tool: a.open'), entries('a')], OFFERS)).toEqual([
    'LNT7007 error 7:49 "open" of "a" needs the argument "repo"',
  ]);
});

test('LNT7007 about a workflow in an object of its own names the gateway that refers to the workflow', () => {
  const definition = object('VirtualMCPCompositeToolDefinition', '{ name: w, steps: [{ id: s, tool: a.open }] }', 'w');
  const found = findings(
    'argumentsAgainstSchema',
    [gatewayConfig('{ compositeToolRefs: [{ name: w }] }'), definition, entries('a')],
    OFFERS,
  );
  expect(found.map(({ message }) => message)).toEqual(['"open" of "a" needs the argument "repo" (in gateway "it")']);
});
