import type { Diagnostic, Range } from './diagnostic.ts';

/** A replacement in the file to which a finding points. */
export interface Edit {
  /** The replaced range. */
  readonly range: Range;
  readonly text: string;
}

/** The `fix` of a finding as a text edit. */
export interface Fix {
  /** The instruction that a person reads. */
  readonly title: string;
  readonly edit: Edit;
}

const WORD = /^(?:did you mean|write) "([^"\\]*)"\??$/;
const MEMBER = /^(apiVersion|kind|profile): (\S+)$/;
/** An entity in Cedar's syntax, such as `Tool::"search"`. */
const ENTITY = /^did you mean ((?:\w+::)+"[^\s"\\'#]+")\?$/;

/**
 * The edit of a fix that replaces one word in the marked range. Undefined for advice, and for a range that is not written as one word: the value
 * of an alias has to be changed at its anchor.
 *
 * @param sourceText the text in the finding's range
 */
export function parseFix({ fix, range }: Diagnostic, sourceText: string): Fix | undefined {
  const entity = ENTITY.exec(fix ?? '')?.[1];
  if (entity !== undefined)
    return /^(?:\w+::)+"[^\s"\\'#]+"$/.test(sourceText)
      ? { title: `Change to ${entity}`, edit: { range, text: entity } }
      : undefined;
  const word = WORD.exec(fix ?? '')?.[1] ?? MEMBER.exec(fix ?? '')?.[2];
  if (word === undefined || !/^(["']?)(?!\*)[^\s"'#]+\1$/.test(sourceText)) return undefined;
  const quote = /^["']/.exec(sourceText)?.[0] ?? quoteFor(word);
  return { title: `Change to ${word}`, edit: { range, text: `${quote}${word}${quote}` } };
}

/** Words with a special meaning in YAML 1.1 or 1.2 unless they are quoted. */
function quoteFor(word: string): '' | '"' {
  const isPlain = /^[A-Za-z_][\w./-]*$/.test(word) && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(word);
  return isPlain ? '' : '"';
}
