/** Patterns for paths with forward slashes: `*` and `?` stay within a name, `**` spans folders, `{a,b}` is a choice. */

const MAGIC = /[*?{]/;

/** Whether a path is one of those that a pattern names, or lies below one. */
export function matcherOf(pattern: string): (path: string) => boolean {
  const expression = new RegExp(`^${expressionOf(tidied(pattern))}(?:/.*)?$`, 's');
  return path => tidied(pattern) === '.' || expression.test(path);
}

/** Where to look for what a pattern names: its folders before the first that is no plain name. */
export function baseOf(pattern: string): string {
  const names = tidied(pattern).split('/');
  const magic = names.findIndex(name => MAGIC.test(name));
  return magic === -1 ? tidied(pattern) : names.slice(0, magic).join('/') || '.';
}

function tidied(pattern: string): string {
  return pattern.replace(/^(\.\/)+(?=.)/, '').replace(/(?<=.)\/+$/, '');
}

const PARTS: { readonly [part: string]: string } = {
  '**/': '(?:[^/]+/)*',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
};

function expressionOf(pattern: string): string {
  return pattern.replace(/\{([^{}]*)\}|\*\*\/|\*\*|[*?]|[.+^$()|[\]\\{}]/g, (part, choice?: string) => {
    if (choice !== undefined) return `(?:${choice.split(',').map(expressionOf).join('|')})`;
    return PARTS[part] ?? `\\${part}`;
  });
}
