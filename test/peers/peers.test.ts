/** The line about skipped tests, and the packages that tests need in addition. */
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import vscode from '../../editors/vscode/package.json' with { type: 'json' };
import { temporaryFolder } from '../support/process.ts';
import { skippedLine } from '../support/skipped-tests-reporter.ts';
import { missingFromLock, missingPackages } from './missing-packages.ts';
import peers from './packages/package.json' with { type: 'json' };

const ROOT = dirname(import.meta.dirname);

test('the line about skipped tests counts the tests that lack one program and says how to install it', () => {
  expect(skippedLine(Array(20).fill('x [needs lua (apt-get install lua5.1)]'))).toBe(
    '20 tests skipped: 20 without lua (apt-get install lua5.1)',
  );
});

test.each<[what: string, titles: string[], line: string | undefined]>([
  ['no line without skipped tests', [], undefined],
  ['a test without a reason', ['a > b'], '1 test skipped: 1 for another reason'],
  [
    'several reasons, the most frequent first',
    ['a', 'ssh [needs sshd (x)] > a', 'ssh [needs sshd (x)] > b'],
    '3 tests skipped: 2 without sshd (x); 1 for another reason',
  ],
])('the line about skipped tests names why the tests were skipped: %s', (_what, titles, line) => {
  expect(skippedLine(titles)).toBe(line);
});

describe('a package of `npm run peers`', () => {
  const pinned = { ...peers.devDependencies, ...vscode.devDependencies };
  const names = Object.keys(pinned).sort();

  test('a package of `npm run peers` counts as missing if it is not installed or has another version', async () => {
    const { jest } = peers.devDependencies;
    await using modules = await temporaryFolder({
      'jest/package.json': JSON.stringify({ version: jest }),
      'cdk8s-cli/package.json': '{ "version": "0.0.1" }',
    });
    expect(missingPackages(modules.path)).toEqual(names.filter(name => name !== 'jest'));
  });

  test('before `npm run peers` installs its packages, it counts their dependencies that are not yet installed', async () => {
    const packages = {
      '': {},
      'editors/vscode': {},
      'node_modules/here': {},
      'node_modules/gone': {},
      'node_modules/gone/node_modules/inner': {},
      'node_modules/workspace': { link: true },
      'node_modules/elsewhere': { os: ['aix'] },
      'node_modules/not-here': { os: [`!${process.platform}`] },
      'node_modules/not-there': { os: ['!aix'] },
    };
    await using root = await temporaryFolder({
      'package-lock.json': JSON.stringify({ packages }),
      'node_modules/here/package.json': '{}',
    });
    expect(missingFromLock(root.path)).toBe(3);
  });

  test('the packages of `npm run peers` are pinned to a version, and `npm ci` does not install them', async () => {
    const args = ['ls', '--all', '--parseable', '--package-lock-only'];
    const { stdout } = await promisify(execFile)('npm', args, { cwd: dirname(ROOT) });
    const brought = stdout.split('\n').map(path => path.split('node_modules/').at(-1));
    expect(brought).toContain('vitest');
    for (const [name, version] of Object.entries(pinned)) {
      expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
      expect(brought).not.toContain(name);
    }
  });
});
