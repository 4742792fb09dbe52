import { describe, expect, test } from 'vitest';
import {
  buildMatrix,
  combineMatrices,
  diffMatrices,
  diffPersonas,
  MATRIX_RENDERERS,
  type Matrix,
  type MatrixItem,
  type Persona,
  readMatrix,
  renderMatrixDifference,
  type ServerMatrix,
} from '../../../compiler/analysis/access/index.ts';
import { entries, formatBackendKey, models, object } from '../../support/gateway-rule.ts';
import { gatewayWithPolicies } from '../../support/policies.ts';

const CIRCUMSTANCES = { now: 0, user: 'joe' };

const ENG: Persona = { name: 'eng', claims: { sub: 'ann', groups: ['eng'], team: 'a' } };
const OPS: Persona = { name: 'ops', claims: { sub: 'bob', groups: ['ops'] } };

const OIDC = object('MCPOIDCConfig', '{ type: inline, inline: { issuer: "https://id.example.com" } }', 'corp');

const OFFERS = {
  [formatBackendKey('git')]: {
    tools: ['push', { name: 'list', annotations: { readOnlyHint: true } }],
    prompts: ['review'],
    resources: [{ uri: 'note:///a', name: 'a' }],
    resourceTemplates: [{ uriTemplate: 'note:///{name}', name: 'note' }],
  },
};

function found(policies: readonly string[], personas: readonly Persona[] = [ENG, OPS]) {
  const config =
    '{ aggregation: { conflictResolution: prefix, conflictResolutionConfig: { prefixFormat: "{workload}_" } } }';
  const [model] = models([entries('git'), OIDC, gatewayWithPolicies(policies, { config })], OFFERS);
  const findings = model && buildMatrix(model, personas, CIRCUMSTANCES);
  if (findings === undefined) throw new Error('the gateway has no matrix');
  return findings;
}

function rows(policies: readonly string[]): readonly string[] {
  return found(policies).matrix.items.map(({ type, name, access }) => `${type} ${name}: ${access.eng} ${access.ops}`);
}

describe('the matrix of callers and items', () => {
  test('lintel matrix has a row for every tool, prompt, resource and resource template that the gateway offers', () => {
    expect(rows(['permit(principal in Group::"eng", action, resource);'])).toEqual([
      'tool git_list: yes no',
      'tool git_push: yes no',
      'prompt git_review: yes no',
      'resource note:///a: yes no',
      'resourceTemplate note:///{name}: yes no',
    ]);
  });

  test('lintel matrix names the groups that policies require and that no caller of the matrix is in', () => {
    const groupNotes = (...policies: readonly string[]) => found(policies).groups;
    expect(groupNotes('permit(principal in Group::"eng", action, resource);')).toEqual([]);
    const misspelt = '@id("engineers") permit(principal in Group::"egn", action, resource);';
    expect(groupNotes(misspelt)).toEqual([
      expect.stringMatching(
        /^none of these callers is in Group::"egn", which policy "engineers" \(spec\.yaml:\d+:\d+\) requires; did you mean Group::"eng"\?$/,
      ),
    ]);
    expect(found([misspelt]).notes).toEqual(groupNotes(misspelt));
  });

  test('lintel matrix shows permissions that depend on arguments, for tools and prompts but not for resources', () => {
    const policy = 'permit(principal in Group::"eng", action, resource) when { context has arg_branch };';
    expect(rows([policy])).toEqual([
      'tool git_list: arguments no',
      'tool git_push: arguments no',
      'prompt git_review: arguments no',
      'resource note:///a: no no',
      'resourceTemplate note:///{name}: no no',
    ]);
  });

  test('lintel matrix reports only once that a policy cannot be evaluated, with the location of the policy', () => {
    const everybody = 'permit(principal, action, resource);';
    const failing = '@id("team") forbid(principal, action, resource) when { principal.claim_team == "b" };';
    const { matrix, notes } = found([everybody, failing]);
    expect(matrix.items.map(({ access }) => [access.eng, access.ops])).toEqual(Array(5).fill(['yes', 'no']));
    const [note = '', ...others] = notes.filter(text => text.includes('cannot be evaluated'));
    expect([note.replace(/:\d+:/, ':LINE:'), others]).toEqual([
      'ops: policy "team" (spec.yaml:LINE:69) cannot be evaluated: `Client::"bob"` does not have the attribute `claim_team`; denies 5',
      [],
    ]);
  });
});

describe('workflows in the matrix', () => {
  const CONFIG = `{ aggregation: { conflictResolution: prefix, conflictResolutionConfig: { prefixFormat: "{workload}_" },
    tools: [{ workload: git, filter: [list] }] }, compositeTools: [
    { name: release, description: Pushes., steps: [{ id: a, tool: git.push }, { id: b, tool: git.list, dependsOn: [a] }] },
    { name: again, description: Pushes., steps: [{ id: a, tool: git.push }] },
    { name: gone, description: Is withheld., steps: [{ id: a, tool: git.push }, { id: b, tool: git.gone }] }] }`;
  const ENG_ONLY = 'permit(principal in Group::"eng", action, resource);';

  function findWorkflows(...policies: readonly string[]) {
    const [model] = models([entries('git'), OIDC, gatewayWithPolicies(policies, { config: CONFIG })], OFFERS);
    const findings = model && buildMatrix(model, [ENG, OPS], CIRCUMSTANCES);
    if (findings === undefined) throw new Error('the gateway has no matrix');
    return findings;
  }

  const tools = (...policies: readonly string[]) =>
    findWorkflows(...policies).matrix.items.flatMap(({ type, name, hidden, access, through }) =>
      type === 'tool' ? [[name, hidden === true, access.eng, access.ops, through]] : [],
    );

  test("lintel matrix shows that callers of a workflow reach the tools of the workflow's steps, hidden tools included", () => {
    expect(tools(ENG_ONLY, 'permit(principal in Group::"ops", action, resource == Tool::"release");')).toEqual([
      ['again', false, 'yes', 'no', undefined],
      ['git_list', false, 'yes', 'no', { eng: ['release'], ops: ['release'] }],
      ['git_push', true, 'no', 'no', { eng: ['again', 'release'], ops: ['release'] }],
      ['release', false, 'yes', 'yes', undefined],
    ]);
  });

  test('lintel matrix shows that callers who may not call a workflow reach no tools through it', () => {
    expect(tools('permit(principal, action, resource == Tool::"git_list");')).toEqual([
      ['again', false, 'no', 'no', undefined],
      ['git_list', false, 'yes', 'yes', undefined],
      ['git_push', true, 'no', 'no', undefined],
      ['release', false, 'no', 'no', undefined],
    ]);
  });

  test('lintel matrix shows access through a workflow in every format', () => {
    const findings = [findWorkflows('permit(principal in Group::"ops", action, resource == Tool::"release");')];
    const show = (format: keyof typeof MATRIX_RENDERERS) =>
      MATRIX_RENDERERS[format](['eng', 'ops'], findings, { color: false });
    expect(show('text')).toBe(
      [
        'default/eng',
        'Tools',
        '  NAME      eng  ops',
        '  again     no   no',
        '  git_list  no   workflow',
        '  release   no   yes',
        '',
        'Hidden tools that workflows call',
        '  NAME      eng  ops',
        '  git_push  no   workflow',
        '',
        'Prompts',
        '  NAME        eng  ops',
        '  git_review  no   no',
        '',
        'Resources',
        '  NAME       eng  ops',
        '  note:///a  no   no',
        '',
        'Resource templates',
        '  NAME            eng  ops',
        '  note:///{name}  no   no',
        '',
        '  workflow: the caller may not call the tool itself, but may call a workflow that calls it',
        '  git_list is called by release',
        '  git_push is called by release',
        '',
      ].join('\n'),
    );
    expect(show('markdown')).toContain('| git\\_push | no | workflow |');
    expect(show('csv')).toContain('default/eng,tool,git_push,no,workflow\r\n');
    expect(readMatrix(JSON.parse(show('json')))).toEqual(combineMatrices(['eng', 'ops'], findings));
  });
});

describe('formats of the matrix', () => {
  const named: ServerMatrix = {
    namespace: 'default',
    name: 'eng',
    complete: true,
    items: [{ type: 'tool', name: '=cmd("x")', access: { 'a|b': 'yes', __proto__x: 'arguments' } }],
  };
  const findings = [{ kind: 'gateway' as const, matrix: named, notes: ['a\u001b[31m: note'] }];
  const personas = ['a|b', '__proto__x'];

  test('lintel matrix writes no formula into a CSV file', () => {
    expect(MATRIX_RENDERERS.csv(personas, findings, { color: false })).toBe(
      'server,type,name,a|b,__proto__x\r\ndefault/eng,tool,"\'=cmd(""x"")",yes,arguments\r\n',
    );
  });

  test.each(['\u0000', '\t', '\n', '\u001b', '\u0085', '\u009b', '\u2028', '\u202e', '\u2066'])(
    'lintel matrix writes the character %j as an escape into CSV and JSON',
    sign => {
      const item = { type: 'tool' as const, name: `${sign}=x`, access: { [`a${sign}`]: 'yes' as const } };
      const hostile = [{ kind: 'gateway' as const, matrix: { ...named, items: [item] }, notes: [] }];
      const visible = `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
      expect(MATRIX_RENDERERS.csv([`a${sign}`], hostile, { color: false })).toBe(
        `server,type,name,a${visible}\r\ndefault/eng,tool,${visible}=x,yes\r\n`,
      );
      const json = MATRIX_RENDERERS.json([`a${sign}`], hostile, { color: false });
      expect(json).not.toMatch(/(?!\n)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
      expect(JSON.parse(json).personas).toEqual([`a${sign}`]);
    },
  );

  test('lintel matrix writes no markup of an item or caller into Markdown', () => {
    expect(MATRIX_RENDERERS.markdown(personas, findings, { color: false })).toContain(
      '| Name | a\\|b | \\_\\_proto\\_\\_x |\n',
    );
  });

  test('lintel matrix writes no escape sequences to a terminal except for colors', () => {
    const text = MATRIX_RENDERERS.text(personas, findings, { color: true });
    expect(text).toContain('a\\u001b[31m: note');
    expect(text).toContain('\u001b[33mdepends\u001b[39m');
  });

  test('lintel matrix reads its own JSON again unchanged', () => {
    const text = MATRIX_RENDERERS.json(personas, findings, { color: false });
    expect(readMatrix(JSON.parse(text))).toEqual(combineMatrices(personas, findings));
  });
});

test.each<[name: string, value: unknown]>([
  ['a list', []],
  ['a document of another version', { formatVersion: 2, personas: [], gateways: [] }],
  [
    'a gateway without a name',
    { formatVersion: 1, personas: [], gateways: [{ namespace: 'a', complete: true, items: [] }] },
  ],
  [
    'a document with an unknown answer',
    {
      formatVersion: 1,
      personas: ['a'],
      gateways: [
        { namespace: 'a', name: 'b', complete: true, items: [{ type: 'tool', name: 'c', access: { a: 'maybe' } }] },
      ],
    },
  ],
])('lintel matrix refuses %s as an expected matrix', (_, value) => {
  expect(readMatrix(value)).toBeUndefined();
});

describe('differences of two matrices', () => {
  const matrix = (...items: ServerMatrix['items']): Matrix => ({
    formatVersion: 1,
    personas: ['ann', 'bob'],
    gateways: [{ namespace: 'default', name: 'eng', complete: true, items }],
    registries: [],
  });

  test('two matrices differ only if callers may do different things', () => {
    const before = matrix(
      { type: 'tool', name: 'drop', access: { ann: 'yes', bob: 'no' } },
      { type: 'tool', name: 'gone', access: { ann: 'no', bob: 'yes' } },
      { type: 'resourceTemplate', name: 'note:///{name}', access: { ann: 'arguments', bob: 'no' } },
    );
    const after = matrix(
      { type: 'tool', name: 'drop', access: { ann: 'arguments', bob: 'yes' } },
      { type: 'tool', name: 'new', access: { ann: 'no', bob: 'yes' } },
      { type: 'resourceTemplate', name: 'note:///{name}', access: { ann: 'arguments', bob: 'no' } },
    );
    expect(renderMatrixDifference(diffMatrices(before, after))).toBe(
      [
        'default/eng',
        '  ~ ann, tool drop: yes -> depends',
        '  ! bob, tool drop: no -> yes',
        '  ~ bob, tool gone: yes -> not there',
        '  ! bob, tool new: not there -> yes',
        '',
      ].join('\n'),
    );
    expect(diffMatrices(before, before)).toEqual([]);
  });

  test('matrices differ if a workflow begins or ceases to lead to a tool, also where a direct call is permitted', () => {
    const drop = (cell: 'yes' | 'no' | 'arguments', through: readonly string[]) =>
      ({ type: 'tool', name: 'drop', access: { ann: cell, bob: 'no' }, through: { ann: through } }) as const;
    const show = (...[before, after]: readonly [MatrixItem, MatrixItem]) =>
      renderMatrixDifference(diffMatrices(matrix(before), matrix(after))).split('\n')[1];
    expect(show(drop('no', []), drop('no', ['b', 'a']))).toBe('  ! ann, tool drop: no -> through a, b');
    expect(show(drop('arguments', []), drop('arguments', ['a']))).toBe(
      '  ! ann, tool drop: depends -> depends, and through a',
    );
    expect(show(drop('yes', ['a']), drop('yes', ['b']))).toBe(
      '  ! ann, tool drop: yes, and through a -> yes, and through b',
    );
    expect(show(drop('no', ['a']), drop('no', []))).toBe('  ~ ann, tool drop: through a -> no');
    expect(show(drop('no', ['a', 'b']), drop('no', ['b', 'a']))).toBe(undefined);
  });

  test('matrices differ if a tool name that a caller may call now leads to another tool of the backend than before', () => {
    const read = (name: string, cell: 'yes' | 'no', origin: boolean) =>
      ({
        type: 'tool',
        name: 'read',
        ...(origin ? { origin: { backend: 'notes', name } } : {}),
        access: { ann: cell, bob: 'no' },
      }) as const;
    const show = (before: MatrixItem, after: MatrixItem) =>
      renderMatrixDifference(diffMatrices(matrix(before), matrix(after)));
    expect(show(read('read', 'yes', true), read('add', 'yes', true))).toBe(
      'default/eng\n  ! ann, tool read: yes -> yes, now notes.add and not notes.read\n',
    );
    expect(show(read('read', 'no', true), read('add', 'no', true))).toBe('');
    // A file of a version that did not write where names lead.
    expect(show(read('read', 'yes', false), read('add', 'yes', true))).toBe('');
  });

  test('a comparison of two matrices names the callers that only one of the matrices has', () => {
    const other: Matrix = { ...matrix(), personas: ['ann', 'eve'] };
    expect(diffPersonas(matrix(), other)).toEqual({ missing: ['bob'], added: ['eve'] });
  });

  test('an expected matrix that an older version of Lintel wrote without workflows differs if a workflow now leads to a tool', () => {
    const old = matrix({ type: 'tool', name: 'drop', access: { ann: 'no', bob: 'no' } });
    const now = matrix({ type: 'tool', name: 'drop', access: { ann: 'no', bob: 'no' }, through: { bob: ['flow'] } });
    expect(diffMatrices(old, now)).toHaveLength(1);
  });
});
