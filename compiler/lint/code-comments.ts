/** A comment in TypeScript or JavaScript. */

export interface Comment {
  /** Including its delimiters. */
  readonly text: string;
  /** In UTF-16 code units. */
  readonly offset: number;
}

/** The possible tokens at a position; a slash is handled separately, since it may be a division. */
const TOKEN = /\/\/[^\n\r]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:\\[\s\S]|[^'\\\n])*'?|"(?:\\[\s\S]|[^"\\\n])*"?|[\w$]+|[\s\S]/y;

/** The rest of a template up to its end or the next substitution. */
const TEMPLATE = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(`|\$\{|$)/y;

const REGEXP = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/\w*/y;

/** After these tokens a slash begins a regular expression. */
const BEFORE_REGEXP = /^(?:[(,=:[!&|?{};+\-*%~^<>]|return|typeof|case|in|of|void|delete|throw|new|do|else|)$/;

/** The comments in order. Text in strings, templates and regular expressions is not a comment. */
export function listCodeComments(text: string): readonly Comment[] {
  const comments: Comment[] = [];
  /** For each open substitution, the number of open braces in it. */
  const substitutions: number[] = [];
  let last = '';
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  const passTemplate = (): void => {
    const [part = '', end] = match(TEMPLATE) ?? [];
    at += part.length;
    if (end === '${') substitutions.push(0);
  };
  while (at < text.length) {
    const regexp =
      text[at] === '/' && !/[/*]/.test(text[at + 1] ?? '') && BEFORE_REGEXP.test(last) ? match(REGEXP) : null;
    const [token = ''] = regexp ?? match(TOKEN) ?? [];
    const offset = at;
    at += token.length;
    if (token.startsWith('//') || token.startsWith('/*')) {
      comments.push({ text: token.trimEnd(), offset });
      continue;
    }
    if (token.trim() === '') continue;
    last = token;
    const depth = substitutions.length - 1;
    if (token === '`') passTemplate();
    else if (depth >= 0 && token === '{') substitutions[depth] = (substitutions[depth] ?? 0) + 1;
    else if (depth >= 0 && token === '}') {
      if (substitutions[depth] === 0) {
        substitutions.pop();
        passTemplate();
      } else substitutions[depth] = (substitutions[depth] ?? 0) - 1;
    }
  }
  return comments;
}
