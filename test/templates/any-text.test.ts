/** For any template, the parser returns, and what it accepts is evaluated or refused within the limits. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listReferencedPaths, parseTemplate } from '../../compiler/analysis/templates/index.ts';
import { evaluateTemplate, TemplateError } from '../../runtime/gateway/workflow/template/index.ts';
import { anyCharacter } from '../support/any-character.ts';

const words = fc.constantFrom(
  ...'{{ }} {{- -}} ( ) | , . $ $x := = " ` \' \\ /* */ if else end range with break continue nil true print printf'.split(
    ' ',
  ),
  ...'index slice len and eq lt json fromJson quote html 1 -3 0x1p4 1.5 "a" `%5.2f|%v` .a .a.b .list é 🎉 \ud800'.split(
    ' ',
  ),
  ' ',
  ' ',
  '\n',
);
const soup = fc.array(words, { maxLength: 40 }).map(pieces => pieces.join(''));
const actions = fc
  .array(fc.array(words, { maxLength: 6 }), { maxLength: 8 })
  .map(list => list.map(pieces => `{{${pieces.join(' ')}}}`).join(''));

test('the template parser and evaluator fail only with their own errors, for any text', () => {
  fc.assert(
    fc.property(fc.oneof(soup, actions, fc.string({ unit: anyCharacter })), fc.jsonValue(), (text, value) => {
      const parsed = parseTemplate(text);
      if ('errors' in parsed) {
        for (const { offset, length } of parsed.errors) {
          expect(offset).toBeGreaterThanOrEqual(0);
          expect(length).toBeGreaterThanOrEqual(0);
          expect(offset + length).toBeLessThanOrEqual(text.length);
        }
        return;
      }
      expect(JSON.parse(JSON.stringify(parsed.tree))).toEqual(parsed.tree);
      for (const { at } of listReferencedPaths(parsed.tree)) expect(text.charAt(at[0])).toMatch(/[.$(i]/);
      try {
        expect(evaluateTemplate(parsed.tree, { a: value, list: [value] }).isWellFormed()).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(TemplateError);
      }
    }),
    { numRuns: 5000 },
  );
});
