/** Ids as GitHub makes them, because links in the repository rely on them: lower case, without punctuation, hyphens for blanks. */
export function headingId(heading: string, taken: Set<string>): string {
  const id = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
  let unique = id;
  for (let count = 1; taken.has(unique); count++) unique = `${id}-${count}`;
  taken.add(unique);
  return unique;
}
