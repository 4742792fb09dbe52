/** A paragraph wrapped at spaces. A word that is too long gets a line of its own. */
export function wrapLines(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines.push(`${lines.pop()} ${word}`);
    else lines.push(word);
  }
  return lines;
}
