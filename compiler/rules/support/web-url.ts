/** Why a text is not a usable URL for a server, as the end of a sentence. */
export function findWebUrlProblem(text: string): string | undefined {
  const url = URL.parse(text);
  // The parser ignores white space, but identifiers are compared byte for byte.
  if (url === null || url.hostname === '' || !/^https?:$/.test(url.protocol) || /\s/.test(text))
    return 'is not a complete http or https URL';
  return url.username === '' && url.password === ''
    ? undefined
    : 'contains credentials, which everyone who reads this file could use';
}
