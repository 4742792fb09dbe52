/** The YAML of a gateway from any program is exported to a program with intent-level constructs that gives the same gateway. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Chart } from 'cdk8s';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { readTexts, SourceText } from '#compiler';
import {
  Authorization,
  Backend,
  Caller,
  Conflicts,
  cedar,
  Gateway,
  type GatewayProps,
  Group,
  Incoming,
  lockedBackend,
  Oidc,
  Tools,
} from '../../../compiler/cdk8s/index.ts';
import { exportProgram } from '../../../compiler/export/index.ts';
import { expectGolden } from '../../support/golden.ts';
import { runs } from '../../support/runs.ts';
import { synthesize } from '../../support/synthesize.ts';

interface AnyTool {
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: unknown;
}

const github = lockedBackend<{ search: AnyTool; create_issue: AnyTool; delete_repo: AnyTool }>({
  key: 'default/MCPServerEntry/github',
  name: 'github',
  toolNames: ['create_issue', 'delete_repo', 'search'],
});

const TOOLS = { github: github.toolNames, docs: ['search', 'read', 'rm -rf'], notes: ['search', 'add'] } as const;

function backends(chart: Chart) {
  const group = new Group(chart, 'group', { name: 'tools' });
  const entry = { group, transport: 'streamable-http' } as const;
  return {
    group,
    github: Backend.entry(chart, 'github', { ...entry, remoteUrl: 'https://github.example.com/mcp', locked: github }),
    docs: Backend.entry(chart, 'docs', { ...entry, remoteUrl: 'https://docs.example.com/mcp' }),
    notes: Backend.inline({ name: 'notes', url: 'http://notes:8080/mcp', transport: 'sse' }),
  };
}

type Backends = ReturnType<typeof backends>;
type Name = keyof typeof TOOLS;
type Say = (gateway: Gateway, all: Backends) => unknown;

const SIGNS = ['"', '\\', '*', '\n', '`', '${', '}', "'", '\u202e', '\u{1f600}', 'eng', ' ', '//', '\t'];
const text = fc.oneof(
  fc.constantFrom('eng', 'ops', 'staff-eu'),
  fc.array(fc.constantFrom(...SIGNS), { minLength: 1, maxLength: 5 }).map(signs => signs.join('')),
);
const claim = fc.constantFrom('team', 'level', 'https://example.com/staff', 'a"b');

const { caller } = fc.letrec<{ caller: Caller; simple: Caller }>(tie => ({
  simple: fc.oneof(
    fc.constantFrom(Caller.any(), Caller.authenticated(), Caller.scope('tools:*'), Caller.scope('a\\b'.slice(0, 1))),
    text.map(Caller.group),
    text.map(Caller.subject),
    fc.tuple(claim, fc.oneof(text, fc.integer(), fc.boolean())).map(([name, value]) => Caller.claim(name, value)),
    fc.tuple(claim, text).map(([name, value]) => Caller.claimIncludes(name, value)),
  ),
  caller: fc.oneof(
    { weight: 3, arbitrary: tie('simple') },
    fc.tuple(tie('caller'), tie('simple'), fc.boolean()).map(([a, b, isAnd]) => (isAnd ? a.and(b) : a.or(b))),
    fc.tuple(tie('simple'), tie('caller'), tie('simple')).map(([a, b, c]) => a.and(b, c)),
  ),
}));

const name = fc.constantFrom<Name>('github', 'docs', 'notes');
const tool = name.chain(backend => fc.constantFrom(...TOOLS[backend].map(one => [backend, one] as const)));
const toolOf = ([backend, one]: readonly [Name, string], all: Backends) => (all[backend] as Backend).tool(one);
const options = fc.option(fc.constantFrom('first', 'second', 'anyone-call', 'x y'), { nil: undefined });
const chosen = fc.constantFrom(Tools.all(), Tools.readOnly(), Tools.destructive());

const policies = [
  'permit (principal, action, resource);',
  cedar`
    permit (principal in Group::"eng", action == Action::"call_tool", resource == Tool::"docs_read");
  `,
  `forbid (principal, action, resource)\n\nwhen { context has arg_a && context.arg_a like "\`\${x}\`\\*" };\n`,
  '  permit (principal, action, resource);\n',
];

const say: fc.Arbitrary<Say> = fc.oneof(
  tool.map(
    (one): Say =>
      (gateway, all) =>
        gateway.expose(toolOf(one, all)),
  ),
  name.map(
    (one): Say =>
      (gateway, all) =>
        gateway.expose(all[one]),
  ),
  tool.map(
    (one): Say =>
      (gateway, all) =>
        gateway.hide(toolOf(one, all)),
  ),
  name.map(
    (one): Say =>
      (gateway, all) =>
        gateway.hide(all[one]),
  ),
  fc.tuple(tool, fc.constantFrom('find', 'write', 'search')).map(
    ([one, as]): Say =>
      (gateway, all) =>
        gateway.rename(toolOf(one, all), as),
  ),
  tool.map(
    (one): Say =>
      (gateway, all) =>
        gateway.describe(toolOf(one, all), { description: 'other `words`', annotations: { readOnlyHint: true } }),
  ),
  name.map(
    (one): Say =>
      (gateway, all) =>
        gateway.applyToolConfig(all[one], { name: 'shared' }),
  ),
  fc.tuple(caller, options, tool, tool, fc.boolean()).map(
    ([who, id, one, other, isGrant]): Say =>
      (gateway, all) =>
        gateway[isGrant ? 'grant' : 'forbid'](who, id === undefined ? {} : { id }).call(
          toolOf(one, all),
          toolOf(other, all),
        ),
  ),
  fc.tuple(caller, chosen, tool).map(
    ([who, tools, one]): Say =>
      (gateway, all) =>
        gateway.grant(who).call(toolOf(one, all), tools),
  ),
  caller.map(
    (who): Say =>
      (gateway, all) =>
        gateway.grant(who).callAll(all.github).get(all.docs.prompt('outline')),
  ),
  fc.tuple(caller, text).map(
    ([who, under]): Say =>
      gateway =>
        gateway.forbid(who).read({ under }),
  ),
  fc.tuple(caller, chosen).map(
    ([who, tools]): Say =>
      gateway =>
        gateway.forbid(who).call(tools),
  ),
  fc.tuple(caller, text).map(
    ([who, under]): Say =>
      (gateway, all) =>
        gateway.grant(who).read({ under }, all.docs.resource('docs://a')),
  ),
  caller.map(
    (who): Say =>
      gateway =>
        gateway.grant(who).everything(),
  ),
  fc.constantFrom(...policies).map(
    (policy): Say =>
      gateway =>
        gateway.addPolicy(policy),
  ),
  fc.tuple(tool, text).map(
    ([one, group]): Say =>
      (gateway, all) =>
        gateway.expect(e =>
          e
            .caller({ groups: [group] })
            .canCall(toolOf(one, all))
            .cannotReach('no_such_tool'),
        ),
  ),
  fc.constant<Say>(gateway => gateway.expect(e => e.anonymous().reaches(0))),
);

const props: fc.Arbitrary<(all: Backends) => Omit<GatewayProps, 'group'>> = fc
  .record({
    incoming: fc.constantFrom(
      () => Incoming.anonymous(),
      () => Incoming.local(),
      () => Oidc.existing('corp').forAudience('tools'),
      () => Oidc.existing('corp').forAudience('tools', { scopes: ['a'] }),
      () => Oidc.existing('corp').forAudience('tools', { groups: { claim: 'teams', entityType: 'Team' } }),
    ),
    conflicts: fc.constantFrom<(all: Backends) => Conflicts>(
      () => Conflicts.prefix(),
      () => Conflicts.prefix('{workload}.'),
      () => Conflicts.manual(),
      all => Conflicts.priority([all.docs, all.github]),
      all => Conflicts.priority([all.notes], { prefixFormat: '{workload}-' }),
    ),
    visibility: fc.constantFrom<Pick<GatewayProps, 'defaultToolVisibility' | 'excludeAllTools'>>(
      {},
      {},
      { defaultToolVisibility: 'allow' },
      { excludeAllTools: true },
    ),
    authorization: fc.constantFrom<Pick<GatewayProps, 'authorization'>>(
      {},
      {},
      {},
      {},
      {},
      { authorization: Authorization.none() },
      { authorization: Authorization.configMap('policies') },
    ),
    others: fc.constantFrom<Partial<GatewayProps>>({}, { replicas: 2, operational: { logLevel: 'debug' } }),
  })
  .map(({ incoming, conflicts, visibility, authorization, others }) => (all: Backends) => ({
    incoming: incoming(),
    conflicts: conflicts(all),
    ...visibility,
    ...authorization,
    ...others,
  }));

/** A chart with every statement about a gateway except those that fail at synth. */
function made(settings: (all: Backends) => Omit<GatewayProps, 'group'>, sayings: readonly Say[]): Chart | undefined {
  const accepted: Say[] = [];
  let chart: Chart | undefined;
  for (const saying of [() => undefined, ...sayings]) {
    const attempt = new Chart(new App(), 'sample', { disableResourceNameHashes: true });
    const all = backends(attempt);
    const gateway = new Gateway(attempt, 'eng', { group: all.group, ...settings(all) });
    gateway.addBackend(all.notes);
    for (const one of [...accepted, saying]) one(gateway, all);
    if (gateway.node.validate().length > 0) continue;
    accepted.push(saying);
    chart = attempt;
  }
  return chart;
}

const objects = (yaml: string) => parseAllDocuments(yaml).map(document => document.toJS());
const byName = (a: { kind: string }, b: { kind: string }) => (a.kind < b.kind ? -1 : 1);

test('a random program gives YAML from which lintel export writes a program that gives the same YAML', () => {
  const calls: string[] = [];
  fc.assert(
    fc.property(props, fc.array(say, { maxLength: 8 }), (settings, sayings) => {
      const chart = made(settings, sayings);
      fc.pre(chart !== undefined);
      const before = chart.toJson();
      const yaml = before.map(object => stringify(object)).join('---\n');
      const { text: program } = exportProgram(readTexts([new SourceText('spec.yaml', yaml)]), { title: 'sample' });
      expect(program).toContain('new Gateway(');
      const after = synthesize(program).flatMap(file => objects(file.text));
      expect(after.toSorted(byName)).toEqual(objects(yaml).toSorted(byName));
      calls.push(...(program.match(/\.(grant|forbid|expose|hide|rename|expect)\(/g) ?? []));
    }),
    { seed: 1980, numRuns: runs(400) },
  );
  // Gateways without statements would prove nothing.
  for (const call of ['.grant(', '.forbid(', '.expose(', '.hide(', '.rename(', '.expect('])
    expect(calls.filter(one => one === call).length, call).toBeGreaterThan(runs(40));
});

test.each(['grants', 'priority-and-inline'])('lintel export writes the expected program for the manifest %s', name => {
  const file = join(import.meta.dirname, '../cdk8s/gateway/goldens', name, 'chart.yaml');
  const sources = readTexts([new SourceText('chart.yaml', readFileSync(file, 'utf8'))]);
  const { text: program } = exportProgram(sources, { title: name });
  expectGolden(join(import.meta.dirname, 'expected', name), new Map([['app.ts.txt', program]]));
});
