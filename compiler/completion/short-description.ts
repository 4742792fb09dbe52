/** What shells have room for next to a word, on a terminal of 80 columns; they cut the rest off in the middle of a word. */
const MAX_LENGTH = 52;

/** The first clause of a description, as far as there is room for its words. */
export function shortenDescription(text: string): string {
  const [clause = ''] = text.split(/\.(?:\s|$)|[;:] | \(/);
  if (clause.length <= MAX_LENGTH) return clause;
  const room = clause.slice(0, MAX_LENGTH - 1);
  return `${room.slice(0, room.lastIndexOf(' '))} …`;
}
