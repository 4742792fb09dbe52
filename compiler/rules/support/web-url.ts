/** Why a text is no URL that a server could use; the end of a sentence about it. */
export function webUrlProblem(text: string): string | undefined {
  const url = URL.parse(text);
  // The parser forgives white space, which would be part of an identifier that is compared byte for byte.
  if (url === null || url.hostname === '' || !/^https?:$/.test(url.protocol) || /\s/.test(text))
    return 'is not a complete http or https URL';
  return url.username === '' && url.password === ''
    ? undefined
    : 'contains credentials, which everyone who reads this file could use';
}
