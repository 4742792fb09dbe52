/**
 * Public paths are compared segment by segment with the decoded path of a request. A path with two possible readings is refused: otherwise one
 * program could take a path for public that another takes for protected.
 */

/** Normalizes a path: no empty segments, no trailing slash. `/` is the root, which covers everything. */
export function normalizePath(text: string): string {
  return `/${splitPath(text).join('/')}`;
}

/** Why a text is not a valid public path; continues a sentence about it. */
export function findPathProblem(text: string): { readonly message: string; readonly fix?: string } | undefined {
  if (text.includes('%')) return { message: 'is written in percent-encoding', fix: 'write the characters themselves' };
  if (text.includes('*'))
    return { message: 'has a "*": there are no patterns', fix: 'a path covers all that is below it' };
  if (/[?#]/.test(text)) return { message: 'has a query or a fragment, which are no part of a path' };
  if (/[\\;]/.test(text)) return { message: 'has a character that some servers take for the end of a segment' };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\s\u0000-\u001f\u007f]/.test(text)) return { message: 'has white space or a control character' };
  if (splitPath(text).some(segment => segment === '.' || segment === '..'))
    return { message: 'has a segment "." or ".."', fix: 'write the path that it leads to' };
  return undefined;
}

/** Whether `path` equals `above` or is below it. Both are normalized. */
export function isCovered(path: string, above: string): boolean {
  return above === '/' || path === above || path.startsWith(`${above}/`);
}

export function splitPath(path: string): string[] {
  return path.split('/').filter(segment => segment !== '');
}
