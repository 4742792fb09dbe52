/** No output contains the values of a Secret, no matter how broken its YAML is, because CI systems keep the output in logs. */
import { expect, test } from 'vitest';
import { findLine, renderPretty } from '#compiler';
import { compileText, expectSound } from './compiling.ts';
import { FIELDS, HEADS, MARK, VALUES } from './secrets.ts';

/** A part of the secret mark: not even this may appear in the output, because the YAML parser's messages quote a few characters. */
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
