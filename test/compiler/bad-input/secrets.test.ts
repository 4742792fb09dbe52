/** However broken a Secret is, no output contains its values, because CI systems keep reports in logs. */
import { expect, test } from 'vitest';
import { findLine, renderPretty } from '#compiler';
import { compileText, expectSound } from './compiling.ts';
import { FIELDS, HEADS, MARK, VALUES } from './secrets.ts';

/** The parser's messages quote a few characters, so even a part of the mark must not appear. */
const PART_OF_MARK = MARK.slice(0, 5);

test.each(VALUES)('no report of the compiler shows the value of a broken Secret: %j', value => {
  for (const head of HEADS) {
    for (const field of FIELDS) {
      const text = `${head}${field(value)}`;
      const compiled = compileText(text);
      expectSound(compiled);
      const { sources, compilation, json } = compiled;
      const pretty = renderPretty(compilation.findings, (file, line) => findLine(sources, file, line), {
        color: false,
      });
      expect(json, text).not.toContain(PART_OF_MARK);
      expect(pretty, text).not.toContain(PART_OF_MARK);
    }
  }
});
