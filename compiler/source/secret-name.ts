/** Names of variables, flags, headers and members whose values are secret by convention. */

/** The end of such a name, as words joined by `_`. Page tokens and form tokens are excluded, because they grant no access. */
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

/** Name parts of secret headers: header names are few, and chosen for people. */
const HEADER_PART = /api-?key|token|secret|password/i;

/** Conventional flags for a password or header, or possibly for another secret. */
const FLAG = /^--?(?:h|p|header|.*(?:auth|cookie|cred|key|pass|pat(?![a-z])|pw|secret|token).*)$/i;

/** Whether the name says that the value is secret. Words may be separated by `_`, `-` or capitals. */
export function isSecretName(name: string): boolean {
  return ENDING.test(name.replace(/([a-z\d])([A-Z])/g, '$1_$2').replaceAll('-', '_'));
}

/** Does the same as `isSecretName` for the name of a header. */
export function isSecretHeader(name: string): boolean {
  return isSecretName(name) || HEADER_PART.test(name);
}

/**
 * Whether the value may be secret, judging by the name of its variable or flag. Includes harmless names, for callers that prefer to ask too
 * often.
 */
export function mayNameSecret(name: string): boolean {
  return isSecretHeader(name.replaceAll('_', '-')) || FLAG.test(name);
}
