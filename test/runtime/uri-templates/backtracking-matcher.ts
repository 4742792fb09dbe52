/** Matches a URI template with a regular expression, whose code is short, but which is far too slow for untrusted input. */

const VALUE = '[^/?#&,;=]*';

const EXPANSIONS: { readonly [operator: string]: (variables: readonly string[]) => string } = {
  '': variables => variables.map(() => VALUE).join(',?'),
  '+': () => '.*',
  '#': () => '(?:#.*)?',
  '.': variables => variables.map(() => `(?:\\.${VALUE})?`).join(''),
  '/': variables => variables.map(variable => (variable.endsWith('*') ? '(?:/[^?#]*)?' : `(?:/${VALUE})?`)).join(''),
  ';': () => '(?:;[^/?#]*)?',
  '?': () => '(?:\\?[^#]*)?',
  '&': () => '(?:&[^#]*)?',
};

/** @param template one that follows RFC 6570 */
export function backtrackingMatcher(template: string): RegExp {
  const pattern = template
    .split(/(\{[^}]*\})/)
    .map(part => (part.startsWith('{') ? expansion(part) : part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')))
    .join('');
  return new RegExp(`^${pattern}$`, 's');
}

function expansion(expression: string): string {
  const [, operator = '', variables = ''] = /^\{([+#./;?&]?)(.*)\}$/.exec(expression) ?? [];
  return EXPANSIONS[operator]?.(variables.split(',')) ?? '';
}
