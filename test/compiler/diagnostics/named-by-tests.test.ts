/** Each code occurs in a test or golden file that is not just a list of all codes or their examples. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { CODES } from '#compiler';

/** This file does not count, because it names every code. */
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
