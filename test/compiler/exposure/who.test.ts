import { expect, test } from 'vitest';
import type { Condition } from '../../../compiler/cedar/access.ts';
import type { Who } from '../../../compiler/exposure/exposure.ts';
import { EVERYONE, isCoveredBy, NOBODY, UNKNOWN, unionOf, whoOf } from '../../../compiler/exposure/who.ts';
import { whoText } from '../../../compiler/exposure/who-text.ts';

/** `some('a b', 'x')`: those for whom `a` or `b` holds, unless `x` does. */
function some(permits: string, forbids = ''): Who {
  const conditions = (texts: string) =>
    texts.split(' ').flatMap((text, at) => (text === '' ? [] : [{ policy: `policy${at}`, text } as Condition]));
  return whoOf({ type: 'some', permits: conditions(permits), forbids: conditions(forbids) });
}

test.each<[string, readonly Who[], string]>([
  ['nothing', [], 'nobody'],
  ['nobody and some', [NOBODY, some('a')], 'a'],
  ['everyone and some', [some('a'), EVERYONE], 'everyone'],
  ['unknown and some', [some('a'), UNKNOWN], 'unknown'],
  ['the same twice', [some('a'), some('a')], 'a'],
  ['two conditions', [some('b'), some('a')], 'a or b'],
  ['conditions with different exceptions', [some('a b', 'x'), some('b')], 'a or b, unless x; or b'],
  ['everyone with an exception', [some('true', 'x y')], 'everyone, unless x or y'],
])('the union of %s', (_, ways, text) => {
  expect(whoText(unionOf(ways))).toBe(text);
  expect(unionOf(ways.toReversed())).toEqual(unionOf(ways));
});

test.each<[string, Who, Who, boolean]>([
  ['nobody is among nobody', NOBODY, NOBODY, true],
  ['some are not among nobody', some('a'), NOBODY, false],
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
])('%s', (_, narrow, wide, expected) => {
  expect(isCoveredBy(narrow, wide)).toBe(expected);
});

test('policies of several lines are told in one', () => {
  const permit = { policy: 'p', text: 'a &&\n  b' } as Condition;
  expect(whoText(whoOf({ type: 'some', permits: [permit], forbids: [] }))).toBe('a && b');
});
