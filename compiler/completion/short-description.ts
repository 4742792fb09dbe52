/** Maximum length of a description next to a word, on a terminal of 80 columns; shells cut longer texts in the middle of a word. */
const MAX_LENGTH = 52;

/** The first clause of a description, or as many of its words as fit. */
export function shortenDescription(text: string): string {
  const [clause = ''] = text.split(/\.(?:\s|$)|[;:] | \(/);
  if (clause.length <= MAX_LENGTH) return clause;
  const room = clause.slice(0, MAX_LENGTH - 1);
  return `${room.slice(0, room.lastIndexOf(' '))} …`;
}
