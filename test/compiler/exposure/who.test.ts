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

/** Callers by one permit and one forbid, given as Cedar conditions. */
function one(permit: string, forbid?: string): Who {
  const forbids = forbid === undefined ? [] : [{ policy: 'f', text: forbid } as Condition];
  return toWho({ type: 'some', permits: [{ policy: 'p', text: permit } as Condition], forbids });
}

const MANY = Array.from({ length: 12 }, (_, at) => `(a${at} || b${at})`).join(' && ');

test.each<[string, readonly Who[], string]>([
  ['no callers', [], 'nobody'],
  ['no callers and callers with a condition', [NO_CALLERS, some('a')], 'a'],
  ['everyone and callers with a condition', [some('a'), EVERYONE], 'everyone'],
  ['unknown callers and callers with a condition', [some('a'), UNKNOWN], 'unknown'],
  ['the same callers twice', [some('a'), some('a')], 'a'],
  ['two conditions', [some('b'), some('a')], 'a or b'],
  ['conditions with different exceptions', [some('a b', 'x'), some('b')], 'a or b, unless x; or b'],
  ['everyone with an exception', [some('true', 'x y')], 'everyone, unless x or y'],
])('the report of `lintel exposure` prints the union of %s as $2', (_, ways, text) => {
  expect(formatWho(uniteCallers(ways))).toBe(text);
  expect(uniteCallers(ways.toReversed())).toEqual(uniteCallers(ways));
});

test.each<[string, Who, Who, boolean]>([
  ['no callers in no callers', NO_CALLERS, NO_CALLERS, true],
  ['callers with a condition in no callers', some('a'), NO_CALLERS, false],
  ['callers with a condition in everyone', some('a'), EVERYONE, true],
  ['everyone in callers with a condition', EVERYONE, some('a'), false],
  ['unknown callers in everyone', UNKNOWN, EVERYONE, true],
  ['unknown callers in callers with a condition', UNKNOWN, some('a'), false],
  ['callers with a condition in unknown callers', some('a'), UNKNOWN, false],
  ['callers in callers with the same condition', some('a', 'x'), some('a', 'x'), true],
  ['callers with one of two conditions', some('a'), some('a b'), true],
  ['callers with two conditions in callers with one of them', some('a b'), some('a'), false],
  ['callers with a further exception', some('a', 'x y'), some('a', 'x'), true],
  ['callers with one exception fewer', some('a'), some('a', 'x'), false],
  ['callers in everyone with the same exception', some('a', 'x'), some('true', 'x'), true],
  ['callers without an exception in everyone with the exception', some('a'), some('true', 'x'), false],
  ['one alternative in two', some('a'), one('a || b'), true],
  ['alternatives in two conditions', one('a || b'), some('a b'), true],
  ['alternatives of which one is missing', one('a || c'), some('a b'), false],
  ['a conjunction in one of its parts', one('a && b'), some('b'), true],
  ['one part in a conjunction', some('b'), one('a && b'), false],
  ['alternatives inside of parentheses', one('a && c'), one('(a || b) && c'), true],
  ['operators inside of a text', some('a'), one('p == "a || a"'), false],
  ['an if without parentheses around its alternatives', some('b'), one('if x then y else a || b'), false],
  ['one of two exceptions', one('a', 'x || y'), one('a', 'y'), true],
  ['a narrower exception', one('a', 'x && y'), one('a', 'y'), false],
  ['a wider exception', one('a', 'y'), one('a', 'x && y'), true],
  ['an exception that concerns other callers', some('a'), one('a || b', '!(a) && x'), true],
  ['a condition with more combinations than are expanded', one(MANY), one(`(${MANY})`), true],
])(
  'the check whether one set of callers is contained in another set answers $3 for %s',
  (_, narrow, wide, expected) => {
    expect(isCoveredBy(narrow, wide)).toBe(expected);
  },
);

test('the report of `lintel exposure` prints a policy of several lines on one line', () => {
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
    'a claim with a URL as its name',
    'principal has "claimset_https://x.example/t" && principal["claimset_https://x.example/t"].contains("a")',
    undefined,
    '"https://x.example/t" includes "a"',
  ],
  ['a condition that another claim guards', scope('w', 'teams'), undefined, scope('w', 'teams')],
  ['a claim of another type', scope('w'), NOT_A_TEXT, 'scope "w", unless claim_scope is not a String'],
  [
    'the same exception in several ways',
    `${ENG} && (${scope('w')})`,
    `${ENG} && ${NOT_A_TEXT} || ${ENG} && ${guards} && !(principal.claim_scope like "w *") && principal.claim_scope is not a String`,
    `${ENG} && scope "w", unless claim_scope is not a String`,
  ],
  ['an error for some callers only', ENG, `${NOT_A_TEXT} && ${ENG}`, `${ENG}, unless ${NOT_A_TEXT} && ${ENG}`],
  [
    'a condition of other callers in an exception',
    ENG,
    `principal in Group::"ops" && ${NOT_A_TEXT}`,
    `${ENG}, unless principal in Group::"ops" && claim_scope is not a String`,
  ],
  ['a missing attribute', ENG, '!(principal has claim_team)', `${ENG}, unless !(principal has claim_team)`],
])('the report of `lintel exposure` abbreviates Cedar conditions: %s', (_, permit, failure, text) => {
  const forbids = failure === undefined ? [] : [{ policy: 'p', text: failure, fails: true } as Condition];
  expect(formatWho(toWho({ type: 'some', permits: [{ policy: 'p', text: permit } as Condition], forbids }))).toBe(text);
});

test('the report of `lintel exposure` prints two conditions in full where their abbreviations would be equal', () => {
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
