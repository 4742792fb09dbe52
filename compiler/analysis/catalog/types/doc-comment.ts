/** Texts from backends in TSDoc comments. They must not end the comment or contain directives for tools. */

import { escapeUnprintable } from '../../../diagnostics/render/printable.ts';

/** Maximum length of a description in code units. */
const MAX_TEXT = 2000;
/** Zero-width format characters, which hide text. */
const UNSEEN = /[\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufeff]/g;
const LINE_BREAK = /\r\n|[\n\v\f\r\u2028\u2029]/;

/**
 * A comment with these paragraphs above a declaration; empty when all paragraphs are.
 *
 * @param tags that Lintel adds, such as `@deprecated`
 */
export function formatDocComment(paragraphs: readonly string[], indent: string, tags: readonly string[] = []): string {
  const lines = [...paragraphs.flatMap(escapeComment), ...tags];
  if (lines.length === 0) return '';
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map(line => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

function escapeComment(text: string): string[] {
  const shown = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  const lines = shown
    .toWellFormed()
    .replace(UNSEEN, '')
    .trim()
    .split(LINE_BREAK)
    .map(line => {
      return (
        escapeUnprintable(line.trimEnd().replaceAll('\t', '  '))
          .replaceAll('*/', '*\\/')
          // Disables TSDoc tags and `@ts-expect-error`; e-mail addresses stay readable.
          .replace(/(?<!\w)@/g, '\\@')
          // Node and bundlers search the text for this, not the syntax tree.
          .replace(/sourceMappingURL/gi, 'source mapping URL')
      );
    });
  return lines.every(line => line === '') ? [] : lines;
}
