/**
 * Text on a terminal that opens something by a click: the escape sequence OSC 8. Terminals that do not know it show the text alone, or the
 * sequence as text: the caller, who knows the terminal, decides.
 *
 * @see https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda
 */
import type { DiagnosticCode } from '../codes.ts';

/** What becomes a link on one terminal. */
export interface Links {
  /** The URI of a line of a file, as shown; undefined for what is in no file, and where the terminal makes such a link itself. */
  readonly placeUri: (file: string, line: number) => string | undefined;
  /** The URI of the page about a code; undefined where there is none. */
  readonly codeUri?: ((code: DiagnosticCode) => string | undefined) | undefined;
}

/** All that may stand in the URI of a link: anything else could end the sequence. */
const URI = /^[\x21-\x7e]+$/;

/** @param uri undefined, and what is no URI, leave the text as it is */
export function hyperlink(text: string, uri: string | undefined): string {
  if (uri === undefined || !URI.test(uri)) return text;
  return `\u001b]8;;${uri}\u001b\\${text}\u001b]8;;\u001b\\`;
}
