/**
 * Public paths are compared segment by segment with the path of a request after that was decoded. A path that could be
 * read in two ways is refused: what one side takes for public the other must not take for something else.
 */

/** A path as it is compared: no empty segments, no slash at the end. `/` is the root, which covers everything. */
export function normalPath(text: string): string {
  return `/${splitPath(text).join('/')}`;
}

/** Why a text cannot be a public path; the end of a sentence about it. */
export function pathProblem(text: string): { readonly message: string; readonly fix?: string } | undefined {
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

/** Is `path` the same as `above` or below it? Both are normal. */
export function isCovered(path: string, above: string): boolean {
  return above === '/' || path === above || path.startsWith(`${above}/`);
}

export function splitPath(path: string): string[] {
  return path.split('/').filter(segment => segment !== '');
}
