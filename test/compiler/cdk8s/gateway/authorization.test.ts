/** Where a gateway's permissions come from: the program's grants, a shared MCPAuthzConfig, or nowhere. */
import { ApiObject } from 'cdk8s';
import { describe, expect, test } from 'vitest';
import {
  Authorization,
  Caller,
  Gateway,
  Incoming,
  MCPAuthzConfig,
  Oidc,
  OutgoingAuth,
} from '../../../../compiler/cdk8s/index.ts';
import { OFFERS, tokens, world } from '../../../support/cdk8s-world.ts';
import { compiled } from '../../../support/compiled-chart.ts';

const PERMIT = 'permit (principal in Group::"eng", action, resource);';

test('Authorization.none permits every offered tool, and the compiler gives LNT4005', () => {
  const { chart, group, docs } = world();
  const authorization = Authorization.none();
  new Gateway(chart, 'eng', { group, incoming: tokens(chart), authorization }).expose(docs.tools.read);
  const result = compiled(chart, OFFERS);
  expect(result.findings).toEqual([]);
  expect(result.diagnostics.map(({ code }) => code)).toContain('LNT4005');
  result.caller('eng', {}).canCall('docs_read').reaches(1);
});

test('Authorization.none with Incoming.local lets the local caller call every exposed tool', () => {
  const { chart, group, docs } = world();
  const authorization = Authorization.none();
  new Gateway(chart, 'mine', { group, incoming: Incoming.local(), authorization }).expose(docs.tools.read);
  const manifest = chart.toJson().find(({ kind }) => kind === 'VirtualMCPServer');
  expect(manifest.spec.config.incomingAuth).toEqual({ type: 'local' });
  compiled(chart, OFFERS).caller('mine').reaches(1);
});

test('Authorization.configMap uses the policies of a ConfigMap, and these policies read groups from the claim that the gateway names', () => {
  const { chart, group, docs } = world();
  const document = { version: '1.0', type: 'cedarv1', cedar: { policies: [PERMIT], entities_json: '[]' } };
  new ApiObject(chart, 'policies', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    ...{ data: { 'policies.json': JSON.stringify(document) } },
    metadata: { name: 'policies' },
  });
  tokens(chart);
  new Gateway(chart, 'eng', {
    group,
    incoming: Oidc.existing('corp').forAudience('tools', { groups: { claim: 'teams' } }),
    authorization: Authorization.configMap('policies', 'policies.json'),
  }).expose(docs);
  const result = compiled(chart, OFFERS);
  expect(result.findings).toEqual([]);
  result.caller('eng', { teams: ['eng'] }).reaches(2);
  result.caller('eng', { teams: ['ops'] }).reaches(0);
});

test('Authorization.existing takes the policies of an MCPAuthzConfig', () => {
  const { chart, group, docs } = world();
  const shared = new MCPAuthzConfig(chart, 'shared', { spec: { type: 'cedarv1', config: { policies: [PERMIT] } } });
  const authorization = Authorization.existing(shared.name);
  new Gateway(chart, 'eng', { group, incoming: tokens(chart), authorization }).expose(docs);
  const result = compiled(chart, OFFERS);
  expect(result.findings).toEqual([]);
  result.caller('eng', { groups: ['eng'] }).reaches(2);
  result.caller('eng', {}).reaches(0);
});

test('Authorization.granted adds Cedar entities to the grants of the program', () => {
  const { chart, group, docs } = world();
  const entities = [
    { uid: { type: 'Group', id: 'eng' }, attrs: {}, parents: [{ type: 'Group', id: 'staff' }] },
    { uid: { type: 'Group', id: 'staff' }, attrs: {}, parents: [] },
  ];
  const gateway = new Gateway(chart, 'eng', {
    group,
    incoming: tokens(chart),
    authorization: Authorization.granted({ entities }),
  });
  gateway.grant(Caller.group('staff')).call(docs.tools.read);
  const result = compiled(chart, OFFERS);
  expect(result.findings).toEqual([]);
  result.caller('eng', { groups: ['eng'] }).canCall('docs_read');
  result.caller('eng', { groups: ['ops'] }).reaches(0);
});

test('the Gateway construct with outgoing source inline writes spec.outgoingAuth.source inline', () => {
  const { chart, group } = world();
  const outgoing = { source: 'inline', default: OutgoingAuth.discovered() } as const;
  new Gateway(chart, 'eng', { group, incoming: tokens(chart), outgoing });
  const manifest = chart.toJson().find(({ kind }) => kind === 'VirtualMCPServer');
  expect(manifest.spec.outgoingAuth).toEqual({ source: 'inline', default: { type: 'discovered' } });
});

describe('settings without effect', () => {
  const grouped = Oidc.existing('corp').forAudience('tools', { groups: { claim: 'teams' } });
  const cases: readonly [what: string, incoming: Incoming, authorization: Authorization, message: string][] = [
    ['groups without policies', grouped, Authorization.none(), 'so the `groups` of `incoming` have no effect'],
    [
      'groups next to a shared MCPAuthzConfig',
      grouped,
      Authorization.existing('shared'),
      'have no effect: leave them out',
    ],
    [
      'a ConfigMap of policies with Incoming.local',
      Incoming.local(),
      Authorization.configMap('policies'),
      'ConfigMap "policies" has the policies, and an `incoming` that is written out in the gateway has its policies there',
    ],
  ];
  test.each(cases)(
    'the Gateway construct throws at synthesis for a setting without effect: %s',
    (_, incoming, authorization, message) => {
      const { chart, group } = world();
      new Gateway(chart, 'eng', { group, incoming, authorization });
      expect(() => chart.toJson()).toThrow(message);
    },
  );

  test.each([
    ['a grant', (gateway: Gateway) => gateway.grant(Caller.any()).everything()],
    ['a prohibition', (gateway: Gateway) => gateway.forbid(Caller.any()).everything()],
    ['a policy', (gateway: Gateway) => gateway.addPolicy(PERMIT)],
  ])('the Gateway construct with Authorization.none throws at synthesis for %s', (_, say) => {
    const { chart, group } = world();
    const authorization = Authorization.none();
    say(new Gateway(chart, 'eng', { group, incoming: Incoming.anonymous(), authorization }));
    expect(() => chart.toJson()).toThrow('with `Authorization.none()` everything is permitted, so nothing is granted');
  });
});
