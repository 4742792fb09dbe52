/** One line of limited length, truncated between code points with an ellipsis. */
export function truncate(text: string, maxCharacters: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= maxCharacters) return line;
  let cut = '';
  for (const char of line) {
    if (cut.length + char.length > maxCharacters - 1) break;
    cut += char;
  }
  return `${cut.trimEnd()}…`;
}
