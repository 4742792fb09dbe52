/** The two YAML parsers agree about every text of this repository, with both kinds of line breaks. */
import { describe, expect, test } from 'vitest';
import { compareReaders } from './comparing.ts';
import { EMITTED, EXAMPLES, GENERATED, INLINE, type NamedText, YAML_FILES } from './texts.ts';

/** At least this share of the texts is for the fast parser, because it exists for what people write. */
const corpora: readonly [name: string, texts: readonly NamedText[], share: number][] = [
  ['YAML files', YAML_FILES, 0.95],
  ['emitted YAML', EMITTED, 0.9],
  ['generated gateways', GENERATED, 1],
  ['examples of codes', EXAMPLES, 0.95],
  ['texts in tests', INLINE, 0.2],
];

const variants: readonly [name: string, vary: (text: string) => string][] = [
  ['as it is', text => text],
  ['with CRLF', text => text.replace(/\r?\n/g, '\r\n')],
  ['with a byte order mark', text => `\ufeff${text}`],
  ['without its last line break', text => text.trimEnd()],
  ['with spaces at the ends of lines', text => text.replaceAll('\n', '  \n')],
];

describe.each(corpora)('%s', (what, texts, share) => {
  test.each(variants)(
    `the fast YAML reader reads ${what} like the full parser, or leaves them to the full parser: %s`,
    (variant, vary) => {
      const results = texts.map(({ name, text }) => {
        try {
          return compareReaders(vary(text));
        } catch (error) {
          throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
        }
      });
      const same = results.filter(result => result === 'same').length;
      if (variant === 'as it is' || variant === 'with CRLF') expect(same / texts.length).toBeGreaterThanOrEqual(share);
      else expect(same).toBeGreaterThan(0);
    },
  );
});
