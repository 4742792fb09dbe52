import { expect, test } from 'vitest';
import { entries, judge, object } from '../../../support/gateway-rule.ts';
import { gatewayWithPolicies } from '../../../support/policies.ts';

const OIDC = object('MCPOIDCConfig', '{ type: inline, inline: { issuer: "https://id.example.com" } }', 'corp');

const permit = (group: string) => `permit(principal in Group::"${group}", action, resource);`;
const forbid = (group: string) => `forbid(principal in Group::"${group}", action, resource);`;
const reads = (claim: string) =>
  `permit(principal, action, resource) when { principal has ${claim} && principal.${claim} == "x" };`;

function slips(policies: readonly string[], inline = ''): readonly string[] {
  return judge('similarNames', [entries('git'), OIDC, gatewayWithPolicies(policies, { inline })]);
}

const finding = (place: string, policy: string, name: string, meant: string) =>
  `LNT5020 warning ${place} ${policy} names ${name}, which differs from ${meant} by one typo: if it is a mistake, no caller has it`;

test.each<[what: string, policies: readonly string[], expected: readonly string[]]>([
  [
    'a missing letter in the later of two groups',
    [permit('engineers'), forbid('enginers')],
    [finding('30:32', 'policy1', 'Group::"enginers"', 'Group::"engineers"')],
  ],
  [
    'a misspelt group that fewer policies name',
    [forbid('enginers'), permit('engineers'), forbid('engineers')],
    [finding('29:32', 'policy0', 'Group::"enginers"', 'Group::"engineers"')],
  ],
  [
    'two swapped letters in a claim',
    [reads('claim_department'), reads('claimset_departmnet')],
    [finding('30:69', 'policy1', 'the claim "departmnet"', 'the claim "department"')],
  ],
  [
    'a misspelt standard claim',
    [reads('claim_prefered_username')],
    [finding('29:69', 'policy0', 'the claim "prefered_username"', 'the claim "preferred_username"')],
  ],
  [
    'a misspelt claim written as a text',
    [reads('claim_team_lead'), 'permit(principal, action, resource) when { context has "claim_team-lead" };'],
    [finding('30:67', 'policy1', 'the claim "team-lead"', 'the claim "team_lead"')],
  ],
  [
    'groups that differ in several letters',
    [permit('engineering'), permit('engineers'), permit('ops'), permit('dev')],
    [],
  ],
  [
    'plurals, numbers and short names',
    [permit('user'), permit('users'), permit('team-1'), permit('team-2'), permit('dev'), permit('div')],
    [],
  ],
  ['a claim as a set and as a text', [reads('claim_teams'), reads('claimset_teams')], []],
  ['a group and a claim of similar names', [permit('department'), reads('claim_departmnet')], []],
  ['a tool of a similar name', [permit('engineers'), 'permit(principal, action, resource == Tool::"enginers");'], []],
])('the rule similarNames gives the expected findings for %s', (_, policies, expected) => {
  expect(slips(policies)).toEqual(expected);
});

test('of two similar group names, LNT5020 suggests the group that the entities define, even if no policy names this group', () => {
  const entities = `entitiesJson: '[{"uid":{"type":"Group","id":"engineers"},"attrs":{},"parents":[{"type":"Group","id":"staff"}]}]'`;
  const policies = [forbid('enginers'), permit('enginers')];
  expect(slips(policies, entities)).toEqual([finding('30:32', 'policy0', 'Group::"enginers"', 'Group::"engineers"')]);
});

test('of two similar claim names, LNT5020 suggests the claim that groupClaimName names', () => {
  const gateway = gatewayWithPolicies([reads('claim_team_gruops')]);
  const grouped = gateway.replace('type: inline', 'type: inline\n      groupClaimName: team_groups');
  expect(judge('similarNames', [entries('git'), OIDC, grouped])).toEqual([
    finding('30:69', 'policy0', 'the claim "team_gruops"', 'the claim "team_groups"'),
  ]);
});
