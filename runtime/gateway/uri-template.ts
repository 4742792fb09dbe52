/**
 * Matching of URIs against RFC 6570 templates: which backend reads a URI that no list names. Only the question "could this
 * template have produced this URI" is answered; values are not extracted.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6570
 */

/** Templates longer than this are refused: they come from backends. Characters. */
const MAX_TEMPLATE_LENGTH = 2048;

/** Expressions in one template; more would make matching slow. */
const MAX_EXPRESSIONS = 16;

/** What one variable may expand to. Unreserved and percent-encoded characters, as section 3.2.2 has it. */
const SIMPLE = '[^/?#&,;=]*';

const EXPANSIONS: { readonly [operator: string]: (variables: readonly string[]) => string } = {
  '': variables => variables.map(() => SIMPLE).join(',?'),
  '+': () => '.*',
  '#': () => '(?:#.*)?',
  '.': variables => variables.map(() => `(?:\\.${SIMPLE})?`).join(''),
  '/': variables => variables.map(variable => (variable.endsWith('*') ? '(?:/[^?#]*)?' : `(?:/${SIMPLE})?`)).join(''),
  ';': () => '(?:;[^/?#]*)?',
  '?': () => '(?:\\?[^#]*)?',
  '&': () => '(?:&[^#]*)?',
};

/** A predicate for URIs, or undefined when the template does not follow RFC 6570 or is too large. */
export function uriTemplateMatcher(template: string): ((uri: string) => boolean) | undefined {
  if (template.length > MAX_TEMPLATE_LENGTH) return undefined;
  let pattern = '';
  let rest = template;
  for (let expressions = 0; ; expressions++) {
    const open = rest.indexOf('{');
    const literal = open === -1 ? rest : rest.slice(0, open);
    if (literal.includes('}')) return undefined;
    pattern += escapePattern(literal);
    if (open === -1) break;
    const close = rest.indexOf('}', open);
    const expression = close === -1 ? undefined : expand(rest.slice(open + 1, close));
    if (expression === undefined || expressions === MAX_EXPRESSIONS) return undefined;
    pattern += expression;
    rest = rest.slice(close + 1);
  }
  const compiled = new RegExp(`^${pattern}$`, 's');
  return uri => compiled.test(uri);
}

function expand(expression: string): string | undefined {
  const parts = /^([+#./;?&]?)((?:[\w.%]+(?:\*|:[1-9]\d{0,3})?)(?:,[\w.%]+(?:\*|:[1-9]\d{0,3})?)*)$/.exec(expression);
  if (parts === null) return undefined;
  const [, operator = '', variables = ''] = parts;
  return EXPANSIONS[operator]?.(variables.split(','));
}

function escapePattern(literal: string): string {
  return literal.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
