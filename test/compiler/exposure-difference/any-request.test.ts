/** What policies, memberships and settings of tools do to access where it is not known what backends offer. */
import { describe, expect, test } from 'vitest';
import type { CedarEntityPlan } from '#schemas';
import { membershipsEffect } from '../../../compiler/exposure/difference/any-request/memberships-effect.ts';
import { advertiseEffect, areNamesApart } from '../../../compiler/exposure/difference/any-request/offers-effect.ts';
import { policiesEffect } from '../../../compiler/exposure/difference/any-request/policies-effect.ts';
import type { Effect } from '../../../compiler/exposure/difference/difference.ts';

const OPPOSITE: Readonly<Record<Effect, Effect>> = {
  same: 'same',
  wider: 'narrower',
  narrower: 'wider',
  mixed: 'mixed',
  unclassified: 'unclassified',
};

const texts = (...policies: readonly string[]) => policies.map(text => ({ text }));
const ADMINS = 'permit(principal in Group::"admins", action, resource);';
const PURGE = 'permit(principal, action == Action::"call_tool", resource == Tool::"purge");';
const HR =
  'forbid(principal in Group::"interns", action == Action::"read_resource", resource) when { resource.uri like "docs://hr/*" };';

describe.each<readonly [string, readonly string[], readonly string[], Effect]>([
  ['the same in another order', [ADMINS, PURGE], [PURGE, ADMINS], 'same'],
  ['a permit of a tool that no lock need know', [ADMINS], [ADMINS, PURGE], 'wider'],
  [
    'a permit that another covers',
    [ADMINS],
    [ADMINS, ADMINS.replace('action,', 'action == Action::"call_tool",')],
    'same',
  ],
  ['a permit of URIs under a template', [ADMINS], [ADMINS, HR.replace('forbid', 'permit')], 'wider'],
  ['a forbid of URIs under a template', [ADMINS], [ADMINS, HR], 'narrower'],
  ['a permit in place of another', [ADMINS], [PURGE], 'mixed'],
  ['a permit that asks for less', [PURGE.replace('principal,', 'principal in Group::"dev",')], [PURGE], 'wider'],
  [
    'a condition on what hints say',
    [ADMINS],
    [
      ADMINS,
      'permit(principal, action == Action::"call_tool", resource) when { resource has readOnlyHint && resource.readOnlyHint };',
    ],
    'wider',
  ],
  // Any call with a number in its place is denied now: an error denies, whatever other policies say.
  [
    'a permit that can fail',
    [ADMINS],
    [
      ADMINS,
      'permit(principal, action == Action::"call_tool", resource) when { context has arg_path && context.arg_path like "/public/*" };',
    ],
    'mixed',
  ],
])('policies: %s', (_, was, is, effect) => {
  test(effect, () => expect(policiesEffect(texts(...was), texts(...is), true)).toBe(effect));
  test('and back', () => expect(policiesEffect(texts(...is), texts(...was), true)).toBe(OPPOSITE[effect]));
});

test('policies that cannot be read are not judged', () => {
  expect(policiesEffect(texts('permit('), texts(ADMINS), true)).toBeUndefined();
});

const RULES = {
  groupType: 'Group',
  groupClaims: ['groups'],
  roleClaim: null,
  multiValuedClaims: [],
  server: 'gw',
  entities: [],
};
const inAdmins = (id: string): CedarEntityPlan => ({
  uid: { type: 'Group', id },
  attrs: {},
  parents: [{ type: 'Group', id: 'admins' }],
});
const NO_ADMINS = ADMINS.replace('permit', 'forbid');
const NOT_IN_ADMINS = 'permit(principal, action, resource) unless { principal in Group::"admins" };';

describe.each<readonly [string, readonly string[], object, Effect]>([
  ['a group below one that is permitted', [ADMINS], { entities: [inAdmins('leads')] }, 'wider'],
  ['a group below one that is forbidden', [PURGE, NO_ADMINS], { entities: [inAdmins('leads')] }, 'narrower'],
  [
    'a group below one that is permitted and forbidden',
    [ADMINS, NO_ADMINS],
    { entities: [inAdmins('leads')] },
    'mixed',
  ],
  ['a group below one that is excepted', [NOT_IN_ADMINS], { entities: [inAdmins('leads')] }, 'narrower'],
  ['a group below one that no policy names', [PURGE], { entities: [inAdmins('leads')] }, 'same'],
  ['roles that count as groups', [ADMINS], { roleClaim: 'roles' }, 'wider'],
  ['roles that count as groups, which are forbidden something', [PURGE, HR], { roleClaim: 'roles' }, 'narrower'],
  ['another claim of groups', [ADMINS], { groupClaims: ['teams', 'groups'] }, 'mixed'],
  ['another claim of groups that no policy asks for', [PURGE], { groupClaims: ['teams', 'groups'] }, 'same'],
  ['another type of groups', [ADMINS], { groupType: 'Team' }, 'narrower'],
  [
    'another type of groups, which are forbidden something',
    [ADMINS.replace('Group', 'Team'), HR],
    { groupType: 'Team' },
    'wider',
  ],
  [
    'attributes of an entity',
    [ADMINS],
    { entities: [{ ...inAdmins('leads'), parents: [], attrs: { level: 1 } }] },
    'mixed',
  ],
])('memberships: %s', (_, policies, change, effect) => {
  const changed = { ...RULES, ...change };
  test(effect, () => expect(membershipsEffect(texts(...policies), RULES, changed)).toBe(effect));
  test('and back', () => expect(membershipsEffect(texts(...policies), changed, RULES)).toBe(OPPOSITE[effect]));
});

test.each<readonly [Parameters<typeof advertiseEffect>[0], Parameters<typeof advertiseEffect>[0], Effect]>([
  [{ type: 'none' }, { type: 'only', names: ['read'] }, 'wider'],
  [{ type: 'only', names: ['read'] }, { type: 'only', names: ['read', 'purge'] }, 'wider'],
  [{ type: 'only', names: ['read'] }, { type: 'all' }, 'wider'],
  [{ type: 'only', names: ['read'] }, { type: 'only', names: ['purge'] }, 'mixed'],
  [{ type: 'all' }, { type: 'all' }, 'same'],
])('advertised: %j, then %j: %s', (was, is, effect) => {
  expect([advertiseEffect(was, is), advertiseEffect(is, was)]).toEqual([effect, OPPOSITE[effect]]);
});

test('prefixes keep names apart where none begins another', () => {
  const backend = (name: string, prefix: string) => ({
    name,
    tools: { prefix, advertise: { type: 'all' }, overrides: {} } as const,
  });
  const apart = (strategy: 'prefix' | 'manual', one: string, other: string) =>
    areNamesApart({ strategy, priorityOrder: [] }, backend('a', one), [backend('b', other)]);
  expect([
    apart('prefix', 'a_', 'b_'),
    apart('prefix', 'a_', 'a_b_'),
    apart('prefix', 'x_', 'x_'),
    apart('manual', 'a_', 'b_'),
  ]).toEqual([true, false, false, false]);
});
