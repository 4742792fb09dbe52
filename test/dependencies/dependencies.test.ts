/** The page about dependencies matches the lockfile, and each dependency is pinned, licensed, maintained and used. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { directDependencies } from '../../build/dependencies/direct.ts';
import { importingRooms } from '../../build/dependencies/imports.ts';
import { installed } from '../../build/dependencies/installed.ts';
import { broughtAlong, type Lockfile } from '../../build/dependencies/lockfile.ts';
import { dependenciesPage, PAGE } from '../../build/dependencies/page.ts';
import { PURPOSES } from '../../build/dependencies/purposes.ts';
import ROOMS from '../../build/rooms.json' with { type: 'json' };
import { withPeers } from '../support/peers.ts';
import { ROOT } from '../support/process.ts';

const direct = directDependencies();

withPeers('dependency-cruiser').test('docs/dependencies.md is up to date with what `npm run generate` writes', () => {
  expect(readFileSync(join(ROOT, PAGE), 'utf8')).toBe(dependenciesPage());
});

const importers = importingRooms(direct.map(({ name }) => name));

test.each(Object.keys(ROOMS).filter(room => room !== 'examples'))(
  'the README of %s describes the libraries that the code in this folder imports',
  room => {
    const readme = readFileSync(join(ROOT, room, 'README.md'), 'utf8');
    const imported = direct.filter(({ name }) => importers.get(name)?.includes(room));
    expect(imported.filter(({ name }) => !readme.includes(`\`${name}\``))).toEqual([]);
  },
);

test('package.json pins the exact version of each dependency', () => {
  expect(direct.length).toBeGreaterThan(40);
  expect(direct.filter(({ version }) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([]);
});

/** Megabytes that a user installs; raising the limit is a decision. Where the machine's Node is too old, 124 MB of another Node are added. */
const MAX_INSTALLED_MB = 215;

test('`npm ci` installs only recorded packages, within the size limit', () => {
  const { packages, bytes } = installed();
  expect(packages).toBeGreaterThan(200);
  expect(bytes / 1e6).toBeLessThan(MAX_INSTALLED_MB);
});

test('PURPOSES in build/dependencies/purposes.ts has an entry for exactly the direct dependencies', () => {
  expect(Object.keys(PURPOSES)).toEqual(direct.map(({ name }) => name));
});

const LOCK: Lockfile = {
  '': { version: '1.0.0' },
  'node_modules/a': {
    version: '1.0.0',
    dependencies: { b: '1' },
    optionalDependencies: { 'b-darwin': '1', gone: '1' },
  },
  'node_modules/a/node_modules/c': { version: '1.0.0' },
  'node_modules/b': {
    version: '1.0.0',
    dependencies: { c: '2', a: '1' },
    peerDependencies: { d: '1', e: '1' },
    peerDependenciesMeta: { e: { optional: true } },
  },
  'node_modules/b-darwin': { version: '1.0.0', os: ['darwin'] },
  'node_modules/c': { version: '2.0.0' },
  'node_modules/d': { version: '1.0.0' },
  'node_modules/e': { version: '1.0.0' },
};

test.each([
  ['a', ['node_modules/b', 'node_modules/c', 'node_modules/d']],
  ['b', ['node_modules/a', 'node_modules/c', 'node_modules/d']],
  ['c', []],
])(
  'the search for direct and indirect dependencies of the package %s finds each at the path where Node finds it',
  (name, along) => {
    expect(broughtAlong(LOCK, `node_modules/${name}`)).toEqual(along);
  },
);
