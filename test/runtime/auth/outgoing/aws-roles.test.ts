/** Which role a caller gets, and with which session name. */
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { compileMatcher } from '../../../../runtime/auth/outgoing/aws/cel-matcher.ts';
import { RoleChoice } from '../../../../runtime/auth/outgoing/aws/role-choice.ts';
import { toSessionName } from '../../../../runtime/auth/outgoing/aws/session-name.ts';
import type { AwsRoleMappingPlan } from '../../../../schemas/index.ts';

const arn = (name: string) => `arn:aws:iam::123456789012:role/${name}`;
const value = (text: string, role: string): AwsRoleMappingPlan => ({ type: 'value', value: text, roleArn: arn(role) });
const cel = (expression: string, role: string): AwsRoleMappingPlan => ({ type: 'cel', expression, roleArn: arn(role) });

function choose(mappings: readonly AwsRoleMappingPlan[], fallback: string | null = null, roleClaim = 'groups') {
  const warnings: { mapping: number; error: string }[] = [];
  const log = pino({ base: null }, { write: (line: string) => warnings.push(JSON.parse(line)) });
  const fallbackRoleArn = fallback === null ? null : arn(fallback);
  const choice = new RoleChoice({ mappings, fallbackRoleArn, roleClaim }, compileMatcher, log);
  return { roleFor: (claims: Record<string, unknown>) => choice.chooseRole(claims).split('/')[1], warnings };
}

describe('the AWS role', () => {
  test.each<[string, readonly AwsRoleMappingPlan[], Record<string, unknown>, string]>([
    ['of the group', [value('admins', 'admin')], { groups: ['staff', 'admins'] }, 'admin'],
    [
      'of the first mapping that matches',
      [value('staff', 'one'), value('admins', 'two')],
      { groups: ['admins', 'staff'] },
      'one',
    ],
    ['of the fallback for a part of a group name', [value('admin', 'admin')], { groups: ['admins'] }, 'fallback'],
    [
      'of the fallback for a group name in another case',
      [value('admins', 'admin')],
      { groups: ['Admins'] },
      'fallback',
    ],
    ['of the fallback for a number as group', [value('1', 'admin')], { groups: [1] }, 'fallback'],
    ['of a matching CEL expression', [cel('claims.department == "it"', 'it')], { department: 'it' }, 'it'],
    [
      'of a CEL expression on lists',
      [cel('"a" in claims.groups && claims.groups.size() < 3', 'a')],
      { groups: ['a', 'b'] },
      'a',
    ],
    ['of a CEL expression on numbers', [cel('claims.level >= 3', 'senior')], { level: 3 }, 'senior'],
    ['of a CEL expression on nested claims', [cel('claims.org.team == "x"', 'x')], { org: { team: 'x' } }, 'x'],
    [
      'of a CEL expression on claim names with dots',
      [cel('claims["https://a/b"] == "x"', 'x')],
      { 'https://a/b': 'x' },
      'x',
    ],
    [
      'of a CEL expression with a regular expression',
      [cel('claims.sub.matches("^svc-[0-9]+$")', 'svc')],
      { sub: 'svc-7' },
      'svc',
    ],
    [
      'of a CEL expression with a function of the string extension',
      [cel('claims.sub.lowerAscii() == "bob"', 'bob')],
      { sub: 'BOB' },
      'bob',
    ],
    [
      'of the fallback for a CEL expression that is false',
      [cel('claims.level >= 3', 'senior')],
      { level: 2 },
      'fallback',
    ],
  ])('aws_sts assumes the role %s', (_, mappings, claims, role) => {
    const { roleFor, warnings } = choose(mappings, 'fallback');
    expect(roleFor(claims)).toBe(role);
    expect(warnings).toEqual([]);
  });

  test.each<[string, AwsRoleMappingPlan, Record<string, unknown>, string]>([
    ['a claim that is a string', value('admins', 'admin'), { groups: 'admins' }, 'the claim "groups" is no list'],
    ['a claim that is missing', value('admins', 'admin'), {}, 'the claim "groups" is missing'],
    ['an expression on a claim that is missing', cel('claims.level > 1', 'x'), {}, 'field not found: level'],
    ['an expression on another type', cel('claims.level > 1', 'x'), { level: 'high' }, 'found no matching overload'],
    ['an expression that gives a string', cel('claims.sub', 'x'), { sub: 'true' }, 'neither true nor false'],
    ['an expression that gives a number', cel('1 + 1', 'x'), {}, 'neither true nor false'],
    ['an unknown function', cel('admin(claims)', 'x'), {}, 'unbound function: admin'],
    ['an unknown variable', cel('token.sub == "a"', 'x'), {}, 'unresolved attribute'],
    ['an expression with a syntax error', cel('claims.sub ==', 'x'), {}, 'it cannot be read'],
    [
      'an expression on an inherited property',
      cel('claims.constructor != null', 'x'),
      {},
      'field not found: constructor',
    ],
  ])(
    'aws_sts uses the fallback role when a mapping has %s, and the log names the failing mapping once',
    (_, mapping, claims, error) => {
      const { roleFor, warnings } = choose([mapping, value('staff', 'next')], 'fallback');
      expect(roleFor(claims)).toBe('fallback');
      expect(roleFor(claims)).toBe('fallback');
      const ofMapping = warnings.filter(warning => warning.mapping === 0);
      expect(ofMapping).toMatchObject([{ error: expect.stringContaining(error) }]);
    },
  );

  test('aws_sts reads the groups of a caller only from the claim that roleClaim of the plan names', () => {
    const { roleFor } = choose([value('admins', 'admin')], 'fallback', 'cognito:groups');
    expect(roleFor({ groups: ['admins'] })).toBe('fallback');
    expect(roleFor({ 'cognito:groups': ['admins'] })).toBe('admin');
  });

  test('aws_sts fails when no mapping matches and there is no fallback role', () => {
    const { roleFor } = choose([value('admins', 'admin')]);
    expect(() => roleFor({ groups: ['staff'] })).toThrow(
      'aws_sts: no role mapping matches the caller, and there is no fallbackRoleArn',
    );
  });
});

describe('the name of an AWS session', () => {
  test.each(['ab', 'alice', 'a.b-c_d+e=f,g@example.com', 'x'.repeat(64)])(
    'aws_sts uses %s from the claims of the caller as the session name',
    name => {
      expect(toSessionName({ sub: name }, 'sub')).toBe(name);
    },
  );

  test.each([
    ['auth0|123'],
    ['a'],
    ['x'.repeat(65)],
    ['with blank'],
    ['a/b'],
    ['a:b'],
    ['zoë'],
    ['alice\n'],
    ['alice\r\nX-Admin: 1'],
    ['alice&RoleArn=arn:aws:iam::1:role/admin'],
    [''],
    [7],
    [['alice']],
    [undefined],
  ])('aws_sts refuses the session name %j', name => {
    expect(() => toSessionName({ sub: name }, 'sub')).toThrow('aws_sts: the claim "sub" cannot name the session');
  });

  test('aws_sts does not read the session name from an inherited property of the claims', () => {
    expect(() => toSessionName(Object.create({ sub: 'alice' }), 'sub')).toThrow('cannot name the session');
  });
});
