/**
 * Characters that control a terminal or hide text, and that JSON allows unescaped: control characters from U+007F on, line and paragraph
 * separators, and bidirectional marks.
 */
const UNSEEN = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The same JSON text with these characters as escapes. Callers and backends choose much of the text that operators read in a terminal. */
export function toVisibleJson(json: string): string {
  return json.replace(UNSEEN, value => `\\u${value.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
