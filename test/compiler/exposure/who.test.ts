import { expect, test } from 'vitest';
import type { Who } from '#compiler';
import type { Condition } from '../../../compiler/analysis/cedar/access.ts';
import {
  EVERYONE,
  isCoveredBy,
  NO_CALLERS,
  toWho,
  UNKNOWN,
  uniteCallers,
} from '../../../compiler/analysis/exposure/caller-sets.ts';
import { formatAudiences, formatWho } from '../../../compiler/analysis/exposure/format-who.ts';

/** `some('a b', 'x')`: callers for whom `a` or `b` holds, except those for whom `x` does. */
function some(permits: string, forbids = ''): Who {
  const conditions = (texts: string) =>
    texts.split(' ').flatMap((text, at) => (text === '' ? [] : [{ policy: `policy${at}`, text } as Condition]));
  return toWho({ type: 'some', permits: conditions(permits), forbids: conditions(forbids) });
}

/** With one permit and one forbid, in the conditions of Cedar. */
function one(permit: string, forbid?: string): Who {
  const forbids = forbid === undefined ? [] : [{ policy: 'f', text: forbid } as Condition];
  return toWho({ type: 'some', permits: [{ policy: 'p', text: permit } as Condition], forbids });
}

const MANY = Array.from({ length: 12 }, (_, at) => `(a${at} || b${at})`).join(' && ');

test.each<[string, readonly Who[], string]>([
  ['nothing', [], 'nobody'],
  ['nobody and some', [NO_CALLERS, some('a')], 'a'],
  ['everyone and some', [some('a'), EVERYONE], 'everyone'],
  ['unknown and some', [some('a'), UNKNOWN], 'unknown'],
  ['the same twice', [some('a'), some('a')], 'a'],
  ['two conditions', [some('b'), some('a')], 'a or b'],
  ['conditions with different exceptions', [some('a b', 'x'), some('b')], 'a or b, unless x; or b'],
  ['everyone with an exception', [some('true', 'x y')], 'everyone, unless x or y'],
])('the union of %s', (_, ways, text) => {
  expect(formatWho(uniteCallers(ways))).toBe(text);
  expect(uniteCallers(ways.toReversed())).toEqual(uniteCallers(ways));
});

test.each<[string, Who, Who, boolean]>([
  ['nobody is among nobody', NO_CALLERS, NO_CALLERS, true],
  ['some are not among nobody', some('a'), NO_CALLERS, false],
  ['some are among everyone', some('a'), EVERYONE, true],
  ['everyone is not among some', EVERYONE, some('a'), false],
  ['unknown callers are among everyone', UNKNOWN, EVERYONE, true],
  ['unknown callers may not be among some', UNKNOWN, some('a'), false],
  ['some may not be among unknown ones', some('a'), UNKNOWN, false],
  ['equal conditions', some('a', 'x'), some('a', 'x'), true],
  ['one condition of two', some('a'), some('a b'), true],
  ['two conditions of one', some('a b'), some('a'), false],
  ['an exception more', some('a', 'x y'), some('a', 'x'), true],
  ['an exception less', some('a'), some('a', 'x'), false],
  ['whoever is meant is among all but the exceptions, if excepted too', some('a', 'x'), some('true', 'x'), true],
  ['and not otherwise', some('a'), some('true', 'x'), false],
  ['one alternative', some('a'), one('a || b'), true],
  ['alternatives of two conditions', one('a || b'), some('a b'), true],
  ['alternatives of which one is missing', one('a || c'), some('a b'), false],
  ['more is asked', one('a && b'), some('b'), true],
  ['less is asked', some('b'), one('a && b'), false],
  ['alternatives inside of parentheses', one('a && c'), one('(a || b) && c'), true],
  ['operators in a text', some('a'), one('p == "a || a"'), false],
  ['what binds looser than alternatives', some('b'), one('if x then y else a || b'), false],
  ['one of two exceptions', one('a', 'x || y'), one('a', 'y'), true],
  ['an exception that asks for less', one('a', 'x && y'), one('a', 'y'), false],
  ['an exception that asks for more', one('a', 'y'), one('a', 'x && y'), true],
  ['an exception for others', some('a'), one('a || b', '!(a) && x'), true],
  ['more ways than are multiplied out', one(MANY), one(`(${MANY})`), true],
])('%s', (_, narrow, wide, expected) => {
  expect(isCoveredBy(narrow, wide)).toBe(expected);
});

test('policies of several lines are shown on one line', () => {
  const permit = { policy: 'p', text: 'a &&\n  b' } as Condition;
  expect(formatWho(toWho({ type: 'some', permits: [permit], forbids: [] }))).toBe('a && b');
});

/** A required scope, as `Caller.scope` states it. */
const scope = (word: string, read = 'scope') =>
  `principal has claimset_scope && principal.claimset_${read}.contains("${word}")`;
const ENG = 'principal in Group::"eng"';
const guards = 'principal has claim_scope && !(principal.claim_scope == "w")';
const NOT_A_TEXT = `${guards} && principal.claim_scope is not a String`;

test.each<[what: string, permit: string, failure: string | undefined, text: string]>([
  ['a scope', scope('w'), undefined, 'scope "w"'],
  ['a scope next to a group', `${ENG} && (${scope('w')})`, undefined, `${ENG} && scope "w"`],
  [
    'a value of another claim',
    `${ENG} && (${scope('a').replaceAll('_scope', '_teams')}) || ${scope('b')}`,
    undefined,
    `${ENG} && teams includes "a" || scope "b"`,
  ],
  [
    'a claim with a name of its own',
    'principal has "claimset_https://x.example/t" && principal["claimset_https://x.example/t"].contains("a")',
    undefined,
    '"https://x.example/t" includes "a"',
  ],
  ['what is guarded by another claim', scope('w', 'teams'), undefined, scope('w', 'teams')],
  ['a claim of another type', scope('w'), NOT_A_TEXT, 'scope "w", unless claim_scope is not a String'],
  [
    'the same in several ways',
    `${ENG} && (${scope('w')})`,
    `${ENG} && ${NOT_A_TEXT} || ${ENG} && ${guards} && !(principal.claim_scope like "w *") && principal.claim_scope is not a String`,
    `${ENG} && scope "w", unless claim_scope is not a String`,
  ],
  ['an error for some only', ENG, `${NOT_A_TEXT} && ${ENG}`, `${ENG}, unless ${NOT_A_TEXT} && ${ENG}`],
  [
    'what others are asked stays',
    ENG,
    `principal in Group::"ops" && ${NOT_A_TEXT}`,
    `${ENG}, unless principal in Group::"ops" && claim_scope is not a String`,
  ],
  [
    'an attribute that is not there is no matter of its type',
    ENG,
    '!(principal has claim_team)',
    `${ENG}, unless !(principal has claim_team)`,
  ],
])('people read %s', (_, permit, failure, text) => {
  const forbids = failure === undefined ? [] : [{ policy: 'p', text: failure, fails: true } as Condition];
  expect(formatWho(toWho({ type: 'some', permits: [{ policy: 'p', text: permit } as Condition], forbids }))).toBe(text);
});

test('conditions that read alike are shown in full where they differ', () => {
  const failing = (text: string) =>
    toWho({
      type: 'some',
      permits: [{ policy: 'p', text: ENG } as Condition],
      forbids: [{ policy: 'p', text, fails: true } as Condition],
    });
  const other = 'principal has claim_scope && principal.claim_scope is not a String';
  expect(formatAudiences(failing(other), failing(NOT_A_TEXT))).toEqual([
    `${ENG}, unless ${other}`,
    `${ENG}, unless ${NOT_A_TEXT}`,
  ]);
  expect(formatAudiences(undefined, failing(other))).toEqual([null, `${ENG}, unless claim_scope is not a String`]);
});
