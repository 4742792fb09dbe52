/**
 * Hyperlinks on a terminal: the escape sequence OSC 8. A terminal without support shows the text alone, or the sequence as text, so the caller
 * has to know the terminal.
 *
 * @see https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda
 */
import type { DiagnosticCode } from '../codes.ts';

/** The texts that become links on a terminal. */
export interface Links {
  /** The URI of a line of a displayed file; undefined for locations without a file, and when the terminal creates such links itself. */
  readonly placeUri: (file: string, line: number) => string | undefined;
  /** The URI of a code's page; undefined when there is none. */
  readonly codeUri?: ((code: DiagnosticCode) => string | undefined) | undefined;
}

/** The characters allowed in a link's URI; any other could end the escape sequence. */
const URI = /^[\x21-\x7e]+$/;

/** @param uri if undefined or not a URI, the text is returned unchanged */
export function formatHyperlink(text: string, uri: string | undefined): string {
  if (uri === undefined || !URI.test(uri)) return text;
  return `\u001b]8;;${uri}\u001b\\${text}\u001b]8;;\u001b\\`;
}
