import { expect, test } from 'vitest';
import { Caller } from '../../../../compiler/cdk8s/index.ts';

test.each<[what: string, make: () => Caller, message: string]>([
  ['Caller.group of an empty name', () => Caller.group(''), 'the name of a group is empty'],
  ['Caller.subject of an empty text', () => Caller.subject(''), 'the subject is empty'],
  ['Caller.scope of two scopes', () => Caller.scope('a b'), '"a b" is not a scope'],
  ['Caller.scope of an empty text', () => Caller.scope(''), '"" is not a scope'],
])('%s throws a RangeError', (_, make, message) => {
  expect(make).toThrow(new RangeError(message));
});
