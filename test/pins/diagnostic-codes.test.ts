/**
 * Codes are permanent, because users write them into configuration and search for them. A retired code stays listed. `npm run generate` adds
 * new codes to the list, and refuses to change or remove the others.
 */
import { expect, test } from 'vitest';
import { CODES } from '#compiler';
import PINNED from './diagnostic-codes.json' with { type: 'json' };

test('the codes, severities and names of findings do not change', () => {
  const actual = Object.entries(CODES).map(([code, { name, severity }]) => [code, `${severity} ${name}`]);
  expect(Object.fromEntries(actual)).toEqual(PINNED);
});
