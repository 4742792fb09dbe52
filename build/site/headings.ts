/** As GitHub names headings, since links in the repository go by that: lower case, without punctuation, blanks as hyphens. */
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
