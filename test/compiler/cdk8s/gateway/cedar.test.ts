/** The construct removes the indentation of Cedar policies that are written inside of a program. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePolicies } from '../../../../compiler/analysis/cedar/parse-policies.ts';
import { cedar } from '../../../../compiler/cdk8s/index.ts';

describe('the cedar template tag', () => {
  const team = 'eng "core"\n';
  const limit = 1000;
  test.each([
    ['on one line', cedar`permit (principal, action, resource);`, 'permit (principal, action, resource);'],
    [
      'with several lines, without their common indentation',
      cedar`
        permit (principal, action, resource)
        when {
          context has arg_a
        };
      `,
      'permit (principal, action, resource)\nwhen {\n  context has arg_a\n};\n',
    ],
    [
      'with values',
      cedar`
        permit (principal in Group::${team}, action, resource)
          when { context.arg_amount <= ${limit} && ${true} };
      `,
      'permit (principal in Group::"eng \\"core\\"\\u{a}", action, resource)\n  when { context.arg_amount <= 1000 && true };\n',
    ],
    ['with backslashes', cedar`"a\"\*\u{41}"`, '"a\\"\\*\\u{41}"'],
    [
      'with an empty line',
      cedar`
        // one

        // two
      `,
      '// one\n\n// two\n',
    ],
  ])('the cedar template tag writes a policy %s', (_, text, expected) => {
    expect(text).toBe(expected);
  });

  test('the cedar template tag refuses a number that is no integer', () => {
    expect(() => cedar`permit (principal, action, resource) when { context.arg_a == ${0.5} };`).toThrow(
      'policies know integers only, not 0.5',
    );
  });
});

test('the cedar template tag keeps any value inside of its Cedar string', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), text => {
      const policy = cedar`
        permit (principal in Group::${text}, action, resource);
      `;
      const [only, ...others] = parsePolicies(policy).policies;
      expect(others).toEqual([]);
      expect(JSON.stringify(only)).toContain(JSON.stringify(text).slice(1, -1));
    }),
    { seed: 5, numRuns: 200 },
  );
});
