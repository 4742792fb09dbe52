/** Names of variables, flags, headers and members that say by custom that their value is a secret. */

/** The end of such a name, in words with `_` between them. A token that pages are turned by, or that forms are sent with, opens nothing. */
const ENDING = new RegExp(
  `(?:^|_)(?:${[
    'pass(?:word|wd|phrase)',
    '(?:api|app|client|consumer|shared)?_?secret',
    '(?<!(?:^|_)(?:change|continuation|csrf|cursor|next|page|sync|xsrf)_)(?:access|api|auth|bearer|id|refresh|session)?_?token',
    '(?:access|api|private|secret)_?key',
    'access_?key_?id',
    'pat',
    'credentials?',
    'authorization',
    '(?:set_?)?cookie',
  ].join('|')})$`,
  'i',
);

/** Parts of headers: their names are few, and are made by people for people. */
const HEADER_PART = /api-?key|token|secret|password/i;

/** Flags that are customary for a password or a header, or may be for another secret. */
const FLAG = /^--?(?:h|p|header|.*(?:auth|cookie|cred|key|pass|pat|pw|secret|token).*)$/i;

/** Does the name say that the value is a secret? Words may be parted by `_`, `-` or capitals. */
export function isSecretName(name: string): boolean {
  return ENDING.test(name.replace(/([a-z\d])([A-Z])/g, '$1_$2').replaceAll('-', '_'));
}

/** Does the name of a header say so? */
export function isSecretHeader(name: string): boolean {
  return isSecretName(name) || HEADER_PART.test(name);
}

/**
 * May the value be a secret, by the name of its variable, or its flag with the dashes? Says so of names that are harmless as well: for
 * those who had rather ask once too often.
 */
export function mayNameSecret(name: string): boolean {
  return isSecretHeader(name.replaceAll('_', '-')) || FLAG.test(name);
}
