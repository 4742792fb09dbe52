/** Maximum number of characters of a backend's text in `/status` and in the log. */
const MAX_SHOWN_LENGTH = 256;

/** Shortens a backend's text, such as a name, for people: backends decide how long it is. */
export function truncate(text: string): string {
  return text.length <= MAX_SHOWN_LENGTH ? text : `${text.slice(0, MAX_SHOWN_LENGTH - 1).toWellFormed()}…`;
}
