/**
 * Steps from a root as a JSON pointer; no steps give the empty string.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6901
 */
export function pointerOf(path: readonly (string | number)[]): string {
  return path.map(step => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
