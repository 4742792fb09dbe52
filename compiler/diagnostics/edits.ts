import type { Diagnostic, Range } from './diagnostic.ts';

/** A change of the text that a finding is in. */
export interface Edit {
  /** What it replaces. */
  readonly range: Range;
  readonly text: string;
}

/** What the `fix` of a finding says, as a change. */
export interface Fix {
  /** As a person reads it: a command. */
  readonly title: string;
  readonly edit: Edit;
}

const WORD = /^(?:did you mean|write) "([^"\\]*)"\??$/;
const MEMBER = /^(apiVersion|kind|profile): (\S+)$/;
/** An entity of Cedar, such as `Tool::"search"`. */
const ENTITY = /^did you mean ((?:\w+::)+"[^\s"\\'#]+")\?$/;

/**
 * The edit of a fix that replaces one word in the marked range. Undefined for advice, and where the range is not written as one word:
 * what an alias stands for is changed at its anchor.
 *
 * @param written the text that the range of the finding holds
 */
export function parseFix({ fix, range }: Diagnostic, written: string): Fix | undefined {
  const entity = ENTITY.exec(fix ?? '')?.[1];
  if (entity !== undefined)
    return /^(?:\w+::)+"[^\s"\\'#]+"$/.test(written)
      ? { title: `Change to ${entity}`, edit: { range, text: entity } }
      : undefined;
  const word = WORD.exec(fix ?? '')?.[1] ?? MEMBER.exec(fix ?? '')?.[2];
  if (word === undefined || !/^(["']?)(?!\*)[^\s"'#]+\1$/.test(written)) return undefined;
  const quote = /^["']/.exec(written)?.[0] ?? quoteFor(word);
  return { title: `Change to ${word}`, edit: { range, text: `${quote}${word}${quote}` } };
}

/** Words that mean something else without quotes, to one reader of YAML or another. */
function quoteFor(word: string): '' | '"' {
  const isPlain = /^[A-Za-z_][\w./-]*$/.test(word) && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(word);
  return isPlain ? '' : '"';
}
