/** Every code is expected by some test or golden file, in addition to the lists of all codes and their examples. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { CODES } from '#compiler';

/** This file names every code, so it would hide a code without a test. */
const PINS = 'test/pins/diagnostic-codes.test.ts';

const EXPECTATIONS = /\.test\.ts$|\/(?:expected|goldens)\/.*\.(?:json|txt|md)$/;

test('every code is named by a test or a golden file', () => {
  const files = readdirSync('test', { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => path.join(entry.parentPath, entry.name))
    .filter(file => EXPECTATIONS.test(file) && file !== PINS);
  const named = new Set(files.flatMap(file => readFileSync(file, 'utf8').match(/LNT\d{4}/g) ?? []));
  expect(Object.keys(CODES).filter(code => !named.has(code))).toEqual([]);
});
