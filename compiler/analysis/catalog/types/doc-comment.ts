/** Texts of backends in TSDoc comments, which they must not end, and in which they must not speak to tools. */

import { printable } from '../../../diagnostics/render/printable.ts';

/** Code units of one description. */
const MAX_TEXT = 2000;
/** Format characters of no width, which hide what a text says. */
const UNSEEN = /[\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufeff]/g;
const LINE_BREAK = /\r\n|[\n\v\f\r\u2028\u2029]/;

/**
 * A comment with these paragraphs above a declaration; nothing when they are all empty.
 *
 * @param tags of our own, such as `@deprecated`
 */
export function docComment(paragraphs: readonly string[], indent: string, tags: readonly string[] = []): string {
  const lines = [...paragraphs.flatMap(harmless), ...tags];
  if (lines.length === 0) return '';
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map(line => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

function harmless(text: string): string[] {
  const shown = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  const lines = shown
    .toWellFormed()
    .replace(UNSEEN, '')
    .trim()
    .split(LINE_BREAK)
    .map(line => {
      return (
        printable(line.trimEnd().replaceAll('\t', '  '))
          .replaceAll('*/', '*\\/')
          // Neither a TSDoc tag nor `@ts-expect-error`; addresses of mail stay readable.
          .replace(/(?<!\w)@/g, '\\@')
          // Node and bundlers look for it in the text, not in the syntax.
          .replace(/sourceMappingURL/gi, 'source mapping URL')
      );
    });
  return lines.every(line => line === '') ? [] : lines;
}
