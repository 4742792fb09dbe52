import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { findStateFolder } from '../../../runtime/state-folder.ts';

const OWN = { kind: 'registry', namespace: 'default', name: 'company' } as const;

test.each([
  ['of the option', '/var/lib/lintel', {}, '/var/lib/lintel/default/company'],
  ['of the option, relative to the working directory', 'kept', {}, resolve('kept/default/company')],
  [
    'in the home of the user',
    undefined,
    { HOME: '/home/ann' },
    '/home/ann/.local/state/lintel/registry/default/company',
  ],
  [
    'in XDG_STATE_HOME',
    undefined,
    { HOME: '/home/ann', XDG_STATE_HOME: '/state' },
    '/state/lintel/registry/default/company',
  ],
  [
    'in the home of the user when XDG_STATE_HOME is relative',
    undefined,
    { HOME: '/home/ann', XDG_STATE_HOME: 'state' },
    '/home/ann/.local/state/lintel/registry/default/company',
  ],
  [
    'in the home of the user from the user database',
    undefined,
    {},
    `${homedir()}/.local/state/lintel/registry/default/company`,
  ],
  ['of no path when HOME is empty', undefined, { HOME: '' }, undefined],
])('the registry server uses the state folder %s', (_, asked, env, folder) => {
  expect(findStateFolder(asked, OWN, env)).toBe(folder);
});

test('a gateway has another state folder than a registry server of the same name', () =>
  expect(findStateFolder(undefined, { ...OWN, kind: 'gateway' }, { HOME: '/home/ann' })).toBe(
    '/home/ann/.local/state/lintel/gateway/default/company',
  ));

test('two servers never share a state folder', () => {
  const folders = [
    { kind: 'registry', namespace: 'a', name: 'b-c' } as const,
    { kind: 'registry', namespace: 'a-b', name: 'c' } as const,
  ].map(own => findStateFolder('/s', own));
  expect(new Set(folders).size).toBe(2);
});
