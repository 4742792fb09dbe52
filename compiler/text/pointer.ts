/**
 * The JSON pointer of a path; the empty path gives the empty string.
 * @see https://www.rfc-editor.org/rfc/rfc6901
 */
export function formatPointer(path: readonly (string | number)[]): string {
  return path.map(step => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The path of a JSON pointer; digits become list indices. */
export function parsePointer(pointer: string): (string | number)[] {
  return pointer
    .split('/')
    .slice(1)
    .map(step => (/^\d+$/.test(step) ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~')));
}
