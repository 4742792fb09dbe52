import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { findStateFolder } from '../../../runtime/state-folder.ts';

const OWN = { kind: 'registry', namespace: 'default', name: 'company' } as const;

test.each([
  ['asked for', '/var/lib/lintel', {}, '/var/lib/lintel/default/company'],
  ['asked for, from where we are', 'kept', {}, resolve('kept/default/company')],
  ['of the user', undefined, { HOME: '/home/ann' }, '/home/ann/.local/state/lintel/registry/default/company'],
  [
    'of a user who keeps state elsewhere',
    undefined,
    { HOME: '/home/ann', XDG_STATE_HOME: '/state' },
    '/state/lintel/registry/default/company',
  ],
  [
    'of the user, as a relative one does not count',
    undefined,
    { HOME: '/home/ann', XDG_STATE_HOME: 'state' },
    '/home/ann/.local/state/lintel/registry/default/company',
  ],
  ['of the user by the list of users', undefined, {}, `${homedir()}/.local/state/lintel/registry/default/company`],
  ['none, for a home that is none', undefined, { HOME: '' }, undefined],
])('%s', (_, asked, env, folder) => {
  expect(findStateFolder(asked, OWN, env)).toBe(folder);
});

test('a gateway has one of its own', () =>
  expect(findStateFolder(undefined, { ...OWN, kind: 'gateway' }, { HOME: '/home/ann' })).toBe(
    '/home/ann/.local/state/lintel/gateway/default/company',
  ));

test('two servers never share one', () => {
  const folders = [
    { kind: 'registry', namespace: 'a', name: 'b-c' } as const,
    { kind: 'registry', namespace: 'a-b', name: 'c' } as const,
  ].map(own => findStateFolder('/s', own));
  expect(new Set(folders).size).toBe(2);
});
