/** Finds exactly those patterns whose matching time can double with each character of a text. */

import { expect, test } from 'vitest';
import { isAmbiguous } from '../../../compiler/analysis/json-schema/pattern-ambiguity.ts';
import { measureCpuMs } from '../../support/cpu-time.ts';

test.each([
  '(a+)+$',
  '^(a*)*$',
  '^(a|a)*$',
  '^(a|aa)+$',
  '^([a-z]+)*!$',
  '^(\\w+\\s?)*$',
  '^(.*,)*x$',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(?:x+x+)+y',
  '^(\\d|[0-9])+$',
  '^(?:a?){3}(?:a|b|a)*$',
  '^([\\u0061-\\u0066]|[c-d])*$',
  '^(a{1,100}){1,100}$',
  '^(?<word>\\w*)+$',
])('the compiler calls the regular expression %s ambiguous', pattern => {
  expect(isAmbiguous(pattern)).toBe(true);
});

test.each([
  '^[a-z]+$',
  '^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\\.)*[a-z]+$',
  '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$',
  '^\\d{4}-\\d{2}-\\d{2}$',
  '^(\\d{4} ?){1,4}$',
  '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$',
  '^(a|b)*$',
  '^(?:ab)+(?:ab)+$',
  '.*foo.*bar.*',
  '^(?=a+)b$',
  '',
  '^(\\w+ )+$',
  '^(a?)*$',
  // Not analysed: not a regular language, too long, or too many positions.
  '^(a+)+\\1$',
  `(a+)+${'b'.repeat(1000)}`,
  `(a+)+${'b'.repeat(100)}`,
])('the compiler does not call the regular expression %s ambiguous', pattern => {
  expect(isAmbiguous(pattern)).toBe(false);
});

test('the compiler decides within 5 seconds whether a large regular expression is ambiguous', () => {
  const cpuMs = measureCpuMs(() => {
    for (const pattern of [`(?:${'a*'.repeat(90)})*`, `(?:${'[a-z]|'.repeat(90)}x)*`, '('.repeat(900)])
      isAmbiguous(pattern);
  });
  expect(cpuMs).toBeLessThan(5_000);
});
