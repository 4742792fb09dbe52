/** Codes are permanent: people write them into configuration and search for them. A code that retires stays listed. */
import { expect, test } from 'vitest';
import { CODES } from '#compiler';

const PINNED: { readonly [code: string]: string } = {
  LNT1001: 'error yaml-syntax',
  LNT1002: 'error duplicate-key',
  LNT1003: 'error unknown-field',
  LNT1004: 'error wrong-type',
  LNT1006: 'warning deprecated-api-version',
  LNT1007: 'error unknown-kind',
  LNT1008: 'warning field-ignored',
  LNT1009: 'hint not-supported-yet',
  LNT1010: 'error missing-field',
  LNT1011: 'error not-in-enum',
  LNT1012: 'error pattern-mismatch',
  LNT1013: 'error out-of-bounds',
  LNT1014: 'error invalid-format',
  LNT1015: 'error duplicate-item',
  LNT1016: 'warning deprecated-field',
  LNT1017: 'error input-too-large',
  LNT1018: 'error unreadable-input',
  LNT1019: 'error invalid-metadata',
  LNT2001: 'error unresolved-reference',
  LNT2004: 'hint unverifiable-reference',
  LNT2005: 'error missing-key',
  LNT2006: 'error duplicate-object',
  LNT2007: 'error no-backends',
  LNT2008: 'error duplicate-backend',
  LNT3010: 'error priority-order-missing',
  LNT3011: 'error manual-overrides-missing',
  LNT3012: 'error unknown-workload',
  LNT3013: 'error duplicate-workload',
  LNT3014: 'error visibility-entry-missing',
  LNT6010: 'error blocked-address',
  LNT6011: 'error invalid-url',
  LNT6012: 'hint partial-failure-default',
};

test('codes, severities and names', () => {
  const actual = Object.entries(CODES).map(([code, { name, severity }]) => [code, `${severity} ${name}`]);
  expect(Object.fromEntries(actual)).toEqual(PINNED);
});
