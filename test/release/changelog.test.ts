import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readReleaseNotes } from '../../build/release/changelog.ts';
import { ROOT } from '../support/process.ts';

const CHANGELOG = `# Changelog

Each entry is a change.

## 1.1.0, unreleased

- **New.** See [the page](docs/a.md#part), and [theirs](https://example.com/).

## 1.0.0, 2026-12-01

- First.
`;

test.each([
  ['1.1.0', { date: undefined, text: '- **New.** See the page, and [theirs](https://example.com/).\n' }],
  ['1.0.0', { date: '2026-12-01', text: '- First.\n' }],
  ['1.0', undefined],
])('the release notes of version %s are taken from the changelog', (version, expected) => {
  expect(readReleaseNotes(CHANGELOG, version)).toEqual(expected);
});

test('CHANGELOG.md has notes of the current version', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const notes = readReleaseNotes(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version);
  expect(notes?.text).toMatch(/^The first version\./);
  expect(notes?.text).not.toContain('](docs');
});
