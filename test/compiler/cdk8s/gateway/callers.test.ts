import { expect, test } from 'vitest';
import { Caller } from '../../../../compiler/cdk8s/index.ts';

test.each<[what: string, make: () => Caller, message: string]>([
  ['a group without a name', () => Caller.group(''), 'the name of a group is empty'],
  ['nobody in particular', () => Caller.subject(''), 'the subject is empty'],
  ['two scopes', () => Caller.scope('a b'), '"a b" is not a scope'],
  ['no scope', () => Caller.scope(''), '"" is not a scope'],
])('%s is refused', (_, make, message) => {
  expect(make).toThrow(new RangeError(message));
});
