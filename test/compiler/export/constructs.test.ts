/** Each kind is written with its construct of intent, and says the same; what has no word is written out, and says why. */
import { describe, expect, test } from 'vitest';
import { typeErrors } from '../../support/type-check.ts';
import { rows, textOf } from './rows.ts';
import { synthesized } from './synthesized.ts';

describe('constructs of an export', () => {
  test.each(rows)('$kind: $name', row => {
    const { program, before, after } = synthesized(textOf(row));
    expect(program).toContain(row.says);
    expect(/^ *\/\/ Written out: (.*)$/m.exec(program)?.[1]).toBe(row.because);
    expect(after).toEqual(before);
  });

  test('their programs have no type errors', () => {
    const programs = rows.map((row, index) => [`${index}.ts`, synthesized(textOf(row)).program]);
    expect(typeErrors(Object.fromEntries(programs))).toEqual([]);
  });
});
