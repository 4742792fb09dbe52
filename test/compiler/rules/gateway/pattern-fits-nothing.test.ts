import { expect, test } from 'vitest';
import { GATEWAY_RULES } from '../../../../compiler/rules/gateway/index.ts';
import { measureCpuMs } from '../../../support/cpu-time.ts';
import { entries, findings, formatBackendKey, judge, models, object } from '../../../support/gateway-rule.ts';
import { findRule } from '../../../support/named-rule.ts';
import { gatewayWithPolicies } from '../../../support/policies.ts';

const OFFERS = {
  [formatBackendKey('git')]: {
    tools: ['search', 'push_branch'],
    prompts: [{ name: 'review' }],
    resources: [{ uri: 'file:///readme', name: 'readme' }],
    resourceTemplates: [{ uriTemplate: 'file:///docs/{page}.md', name: 'page' }],
  },
};

const when = (condition: string, effect = 'permit') =>
  `${effect}(principal, action == Action::"call_tool", resource) when { ${condition} };`;
const reading = (condition: string) =>
  `permit(principal, action == Action::"read_resource", resource) when { ${condition} };`;

const none = (pattern: string, noun = 'tool') => `policy0: no ${noun} of this gateway has a name like ${pattern}`;

test.each<[what: string, policy: string, expected: readonly string[], fix?: string]>([
  ['the prefix of a backend', when('resource.name like "git_*"'), []],
  [
    'patterns that match and do not match a workflow',
    when('resource.name like "fl?w" || resource.name like "fl*"'),
    [`LNT5018 warning 14:99 ${none('"fl?w"')}`],
  ],
  ['a pattern of any name', when('resource.name like "*"'), []],
  [
    'a misspelt prefix',
    when('resource.name like "gti_*"'),
    [`LNT5018 warning 14:99 ${none('"gti_*"')}`],
    'did you mean "git_*"?',
  ],
  [
    'a misspelt prefix in a forbid',
    when('resource.name like "gti_*"', 'forbid'),
    [`LNT5018 error 14:99 ${none('"gti_*"')}, so this policy denies no call`],
    'did you mean "git_*"?',
  ],
  [
    'a misspelt end',
    when('resource.name like "*_serch"'),
    [`LNT5018 warning 14:99 ${none('"*_serch"')}`],
    'did you mean "*_search"?',
  ],
  [
    'a misspelt word in the middle',
    when('resource.name like "git_*brnch*"'),
    [`LNT5018 warning 14:99 ${none('"git_*brnch*"')}`],
    'did you mean "git_*branch*"?',
  ],
  [
    "the backend's own name",
    when('resource.name like "push*"'),
    [`LNT5018 warning 14:99 ${none('"push*"')}`],
    'did you mean "git_push*"?',
  ],
  [
    'a pattern like no name',
    when('resource.name like "calendar-*"'),
    [`LNT5018 warning 14:99 ${none('"calendar-*"')}`],
  ],
  ['an escaped star', when('resource.name like "git_\\*"'), [`LNT5018 warning 14:99 ${none('"git_\\*"')}`]],
  [
    'an unless of a permit',
    'permit(principal, action == Action::"call_tool", resource) unless { resource.name like "gti_*" };',
    [`LNT5018 error 14:101 ${none('"gti_*"')}, so this policy denies no call`],
    'did you mean "git_*"?',
  ],
  [
    'an unless of a forbid',
    'forbid(principal, action == Action::"call_tool", resource) unless { resource.name like "gti_*" };',
    [`LNT5018 warning 14:101 ${none('"gti_*"')}`],
    'did you mean "git_*"?',
  ],
  [
    'tools and prompts',
    'permit(principal, action, resource) when { resource has name && resource.name like "gti_*" };',
    [`LNT5018 warning 14:95 ${none('"gti_*"', 'tool or prompt')}`],
    'did you mean "git_*"?',
  ],
  ['URIs that match a resource', reading('resource.uri like "file:///r*"'), []],
  ['URIs that match a template', reading('resource.uri like "file:///docs/*/draft.md"'), []],
  [
    'URIs that match no resource and no template',
    reading('resource.uri like "file:///dosc/*"'),
    [`LNT5018 warning 14:102 ${none('"file:///dosc/*"', 'resource')}`],
  ],
  ['a pattern for a claim', when('context has claim_team && context.claim_team like "zzz*"'), []],
])('the rule patternFitsNothing gives the expected findings for: %s', (_, policy, expected, fix) => {
  const config = '{ compositeTools: [{ name: flow, description: x, steps: [{ id: a, tool: git_search }] }] }';
  const texts = [gatewayWithPolicies([policy], { config }), entries('git')];
  expect(judge('patternFitsNothing', texts, OFFERS)).toEqual(expected);
  if (fix !== undefined) expect(findings('patternFitsNothing', texts, OFFERS).map(one => one.fix)).toEqual([fix]);
});

test.each([
  ['a forbid', when('resource.name like "hidden_*"', 'forbid'), []],
  ['a permit', when('resource.name like "hidden_*"'), [`LNT5018 warning 14:99 ${none('"hidden_*"')}`]],
])(
  'the rule patternFitsNothing gives the expected findings for a pattern of hidden tools in %s',
  (_, policy, expected) => {
    const config = '{ aggregation: { tools: [{ workload: hidden, excludeAll: true }] } }';
    const texts = [gatewayWithPolicies([policy], { config }), entries('git', 'hidden')];
    expect(
      judge('patternFitsNothing', texts, { ...OFFERS, [formatBackendKey('hidden')]: { tools: ['push'] } }),
    ).toEqual(expected);
  },
);

test("a policy's name pattern gives a hint if only a backend that the tool lock lacks may have a tool of such a name", () => {
  const texts = (pattern: string) => [
    gatewayWithPolicies([when(`resource.name like "${pattern}"`)]),
    entries('git', 'web'),
  ];
  expect(judge('patternFitsNothing', texts('web_*'), OFFERS)).toEqual([
    'LNT5018 hint 14:99 policy0: whether a tool has a name like "web_*" is not known, because backend "web" is not in the tool lock',
  ]);
  expect(judge('patternFitsNothing', texts('wbe_*'), OFFERS)).toEqual([`LNT5018 warning 14:99 ${none('"wbe_*"')}`]);
  expect(judge('patternFitsNothing', texts('wbe_*'), {})).toEqual([]);
});

test('a name pattern that matches no tool gives a hint, not a warning, if two gateways share the policy', () => {
  const shared = object(
    'MCPAuthzConfig',
    `{ type: cedarv1, config: { policies: [${JSON.stringify(when('resource.name like "gti_*"'))}] } }`,
    'p',
  );
  const gateway = (name: string) =>
    object(
      'VirtualMCPServer',
      '{ groupRef: { name: tools }, incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: mcp }, authzConfigRef: { name: p } } }',
      name,
    );
  expect(
    judge('patternFitsNothing', [gateway('a'), gateway('b'), shared, entries('git')], OFFERS).map(one =>
      one.slice(0, 12),
    ),
  ).toEqual(['LNT5018 hint', 'LNT5018 hint']);
});

test('the rule patternFitsNothing checks 60 patterns against 2,000 tools quickly, and suggests fixes for the first 20', () => {
  const verbs = ['get', 'list', 'create', 'delete', 'update', 'search', 'archive', 'assign', 'close', 'export'];
  const nouns = Array.from({ length: 200 }, (_, index) => `${(index * 7_919).toString(36)}_report_${index % 37}`);
  const tools = verbs.flatMap(verb => nouns.map(noun => `${verb}_${noun}`));
  const patterns = nouns.slice(0, 60).map(noun => `*${noun.replace('report', 'reprot')}*`);
  const policies = patterns.map(pattern => when(`resource.name like "${pattern}"`));
  const sources = [gatewayWithPolicies(policies), entries('big')];
  const [model = expect.fail()] = models(sources, { [formatBackendKey('big')]: { tools } });
  const rule = findRule(GATEWAY_RULES, 'patternFitsNothing');
  // The first time, policies are parsed.
  const found = rule(model);
  expect(found.map(({ fix }) => fix !== undefined)).toEqual(patterns.map((_, at) => at < 20));
  expect(found[1]?.fix).toBe(`did you mean "*${nouns[1]}*"?`);
  // Without limits it took seconds.
  expect(measureCpuMs(() => rule(model))).toBeLessThan(500);
});
