import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Backend, Caller, Conflicts, Gateway, Incoming, Tools } from '../../../../compiler/cdk8s/index.ts';
import { anyCharacter } from '../../../support/any-character.ts';
import { OFFERS, tokens, world } from '../../../support/cdk8s-world.ts';
import { compiled } from '../../../support/compiled-chart.ts';
import { runs } from '../../../support/runs.ts';

type Who = Readonly<Record<string, unknown>>;

describe('a caller in a grant', () => {
  const cases: readonly [caller: Caller, yes: readonly Who[], no: readonly Who[]][] = [
    [Caller.any(), [{}], []],
    [Caller.authenticated(), [{}], []],
    [Caller.group('eng'), [{ groups: ['ops', 'eng'] }], [{}, { groups: ['engineering'] }, { groups: 'eng' }]],
    [Caller.subject('ann'), [{ sub: 'ann' }], [{ sub: 'anna' }]],
    [Caller.claim('team', 'eng'), [{ team: 'eng' }], [{}, { team: 'ops' }]],
    [Caller.claim('level', 3), [{ level: 3 }], [{}, { level: 4 }]],
    [Caller.claim('https://example.com/staff', true), [{ 'https://example.com/staff': true }], [{}]],
    [
      Caller.scope('tools:*'),
      [{ scope: 'a tools:*' }, { scope: 'tools:* b' }, { scope: ['a', 'tools:*'] }],
      [{ scope: 'tools:read' }, { scope: ['tools:read'] }, { scope: 7 }, {}],
    ],
    [
      Caller.claimIncludes('teams', 'a'),
      [{ teams: ['b', 'a'] }, { teams: 'a' }, { teams: 'b a' }],
      [{ teams: 'ab' }, { teams: ['ab'] }, { teams: [] }, { teams: { a: true } }, {}],
    ],
    [
      Caller.group('eng').and(Caller.scope('w')),
      [{ groups: ['eng'], scope: 'w' }],
      [{ groups: ['eng'] }, { scope: 'w' }],
    ],
    [Caller.group('eng').or(Caller.subject('ann')), [{ groups: ['eng'] }, { sub: 'ann' }], [{}]],
    [
      Caller.claim('a', 'x').or(Caller.claim('b', 'y')).and(Caller.claim('c', 'z')),
      [{ b: 'y', c: 'z' }],
      [{ a: 'x' }, { c: 'z' }],
    ],
  ];
  test.each(cases.map(([caller, ...rest]) => [JSON.stringify(caller.test), caller, ...rest] as const))(
    'a grant to the caller %s permits exactly the callers that fit',
    (_, caller, yes, no) => {
      const { chart, group, github } = world();
      new Gateway(chart, 'eng', { group, incoming: tokens(chart) }).grant(caller).call(github.tools.search);
      const result = compiled(chart, OFFERS);
      expect(result.findings).toEqual([]);
      for (const claims of yes) result.caller('eng', claims).canCall('github_search').reaches(1);
      for (const claims of no) result.caller('eng', claims).cannotCall('github_search').reaches(0);
      result.caller('eng').reaches(0);
    },
  );
});

test('the gateway of a Gateway construct permits only calls that the program grants', () => {
  const { chart, group, github, docs } = world();
  const gateway = new Gateway(chart, 'eng', { group, incoming: tokens(chart) });
  gateway.expose(github, docs);
  gateway.grant(Caller.any()).call(Tools.readOnly());
  gateway.grant(Caller.group('eng')).callAll(github).get(docs.prompt('outline')).read({ under: 'docs://handbook/' });
  gateway.forbid(Caller.any(), { id: 'keep' }).call(Tools.destructive());
  const result = compiled(chart, OFFERS);
  expect(result.findings).toEqual([]);
  const all = ['docs_read', 'docs_search', 'github_search'];
  expect(result.caller('eng', {}).reachable()).toEqual(all);
  const eng = result.caller('eng', { groups: ['eng'] });
  expect(eng.reachable()).toEqual([...all, 'github_create_issue'].toSorted());
  eng.canGet('docs_outline').canRead('docs://handbook/start');
  expect(() => eng.canRead('docs://drafts/one')).toThrow('denied');
  expect(() => result.caller('eng', {}).canGet('docs_outline')).toThrow('denied');
});

test('a Gateway construct without a grant permits no call of the tools it exposes', () => {
  const { chart, group, github } = world();
  new Gateway(chart, 'eng', { group, incoming: tokens(chart) }).expose(github.tools.search);
  const result = compiled(chart, OFFERS);
  expect(result.findings).toEqual([]);
  result.caller('eng', { groups: ['eng'] }).reaches(0);
});

test('a grant to any caller of an anonymous gateway permits anonymous callers', () => {
  const { chart, group, docs } = world();
  const gateway = new Gateway(chart, 'eng', { group, incoming: Incoming.anonymous() });
  gateway.grant(Caller.any()).call(docs.tools.search);
  const result = compiled(chart, OFFERS);
  expect(result.findings).toEqual([]);
  result.caller('eng').canCall('docs_search').reaches(1);
});

const wild = fc.oneof(
  fc.string({ unit: anyCharacter, minLength: 1, maxLength: 20 }),
  fc
    .array(
      fc.constantFrom(
        '"',
        '\\',
        '\n',
        '\r',
        '\t',
        '\0',
        ')',
        ';',
        '//',
        '*',
        '\u202e',
        '\u{1f600}',
        'u{41}',
        'eng',
        ' ',
      ),
      {
        minLength: 1,
        maxLength: 12,
      },
    )
    .map(parts => parts.join('')),
);

test('forbid by a claim that is a text or a list keeps out the callers that have the value, and no others', () => {
  const { chart, group, github } = world();
  const gateway = new Gateway(chart, 'eng', { group, incoming: tokens(chart) });
  gateway.grant(Caller.any()).call(github.tools.search);
  gateway.forbid(Caller.scope('guest').or(Caller.claimIncludes('teams', 'sales'))).everything();
  const result = compiled(chart, OFFERS);
  expect(result.findings).toEqual([]);
  for (const scope of ['guest', 'a guest', ['guest']]) result.caller('eng', { scope }).reaches(0);
  for (const teams of ['sales', ['a', 'sales']]) result.caller('eng', { teams }).reaches(0);
  for (const scope of ['a', ['a', 'b'], undefined]) result.caller('eng', { scope, teams: ['a'] }).reaches(1);
});

test('no value in a grant can change the structure of its Cedar policy', () => {
  fc.assert(
    fc.property(wild, wild, (text, other) => {
      fc.pre(text !== other);
      const { chart, group, github } = world();
      const gateway = new Gateway(chart, 'eng', { group, incoming: tokens(chart) });
      gateway.grant(Caller.group(text)).call(github.tools.search);
      gateway.grant(Caller.claim('team', text), { id: text }).call(github.tools.create_issue);
      gateway.grant(Caller.claimIncludes('teams', text), { id: `${text}+` }).call(github.tools.delete_repo);
      gateway.grant(Caller.any()).read({ under: text });
      const result = compiled(chart, OFFERS);
      // No resource URI begins like this.
      expect(result.findings.filter(finding => !/^LNT501[28]/.test(finding))).toEqual([]);
      expect(result.caller('eng', { groups: [text], team: text }).reachable()).toEqual([
        'github_create_issue',
        'github_search',
      ]);
      expect(result.caller('eng', { groups: [other], team: other, teams: [other] }).reachable()).toEqual([]);
      const words = text.split(' ').includes(text) ? [text, `a ${text} b`] : [];
      for (const teams of [[text], [other, text], ...words]) {
        expect(result.caller('eng', { teams }).reachable()).toEqual(['github_delete_repo']);
      }
      const isWord = other.split(' ').includes(text);
      expect(result.caller('eng', { teams: other }).reachable()).toEqual(isWord ? ['github_delete_repo'] : []);
    }),
    { seed: 7, numRuns: runs(60) },
  );
});

describe('impossible grants', () => {
  const cases: readonly [what: string, build: (w: ReturnType<typeof world>) => unknown, message: string][] = [
    [
      'a group at an anonymous gateway',
      ({ chart, group, docs }) =>
        new Gateway(chart, 'eng', { group, incoming: Incoming.anonymous() })
          .grant(Caller.group('eng'))
          .call(docs.tools.read),
      'callers cannot be told apart',
    ],
    [
      'a tool of another gateway',
      ({ chart, group }) =>
        new Gateway(chart, 'eng', { group, incoming: Incoming.anonymous() })
          .grant(Caller.any())
          .call({ backend: 'gitlab', name: 'search' }),
      '"gitlab" is not a backend of this gateway',
    ],
    [
      'two policies of one id',
      ({ chart, group, docs }) => {
        const gateway = new Gateway(chart, 'eng', { group, incoming: Incoming.anonymous() });
        gateway.grant(Caller.any(), { id: 'all' }).call(docs.tools.read);
        gateway.grant(Caller.any(), { id: 'all' }).call(docs.tools.search);
      },
      'two policies have the id "all"',
    ],
    [
      'a forbid of a tool that is not offered',
      ({ chart, group, docs }) =>
        new Gateway(chart, 'eng', { group, incoming: Incoming.anonymous() })
          .expose(docs.tools.read)
          .forbid(Caller.any())
          .call(docs.tools.search),
      '"search" of "docs" is hidden or not exposed',
    ],
    [
      'two tools of one name',
      ({ chart, group, docs, github }) =>
        new Gateway(chart, 'eng', { group, incoming: Incoming.anonymous(), conflicts: Conflicts.manual() })
          .rename(github.tools.create_issue, 'read')
          .expose(docs.tools.read),
      '"read" of "docs" and "create_issue" of "github" would be called "read"',
    ],
    [
      'two backends of one name',
      ({ chart, group, docs }) => {
        Backend.existing({ name: 'docs', group });
        new Gateway(chart, 'eng', { group, incoming: Incoming.anonymous() }).expose(docs.tools.read);
      },
      'two backends are named "docs"',
    ],
    [
      'all tools of a backend without a lock',
      ({ chart, group }) =>
        new Gateway(chart, 'eng', { group, incoming: Incoming.anonymous() })
          .grant(Caller.any())
          .callAll(Backend.existing({ name: 'new', group })),
      '"new" has no lock',
    ],
    [
      'a tool that loses its name to another backend',
      ({ chart, group, docs, github }) =>
        new Gateway(chart, 'eng', {
          group,
          incoming: Incoming.anonymous(),
          conflicts: Conflicts.priority([docs, github]),
        })
          .grant(Caller.any())
          .call(github.tools.search),
      '"search" of "github" loses its name to "docs"',
    ],
  ];
  test.each(cases)('a grant throws at synthesis for %s', (_, build, message) => {
    const { chart, ...rest } = world();
    build({ chart, ...rest });
    expect(() => chart.toJson()).toThrow(message);
    expect(chart.node.findAll().flatMap(({ node }) => node.validate())).toEqual([expect.stringContaining(message)]);
  });
});
