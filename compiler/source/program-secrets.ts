/** Secrets in the clear among the variables and arguments of a program: by the form of a value, or by its name. */
import { isObject } from '#schemas';
import { holdsCredential } from './credential-text.ts';
import type { Path } from './source-document.ts';

/** Where objects have variables. Each is a list of `name` and `value`. */
const VARIABLES: readonly (readonly string[])[] = [['env'], ['resourceOverrides', 'proxyDeployment', 'env']];

const ARGUMENTS = 'args';

/** Names of variables, and of flags with `_` for `-`, whose values are secrets by custom. */
const NAME =
  /(?:^|_)(?:password|passwd|passphrase|secret|(?:access|api|auth|bearer|refresh)?_?token|(?:api|access|private|secret)_?key|pat|credentials?)$/i;

/** Shorter ones stand for nothing yet, or are words. */
const LEAST_LENGTH = 8;

/** A path, an address without a credential, a number: says where a secret is, or how many tokens there may be. */
const PLAIN = /^(?:[./~]|[a-z][a-z0-9+.-]*:\/\/|\d+$)/i;

/** @returns paths that start with `spec`, to the `value` of a variable or to an argument */
export function programSecrets(spec: unknown): Path[] {
  const variables = VARIABLES.flatMap(at =>
    listAt(spec, at).flatMap((member, index): Path[] => {
      if (!isObject(member) || typeof member.value !== 'string') return [];
      return isSecret(String(member.name), member.value) ? [['spec', ...at, index, 'value']] : [];
    }),
  );
  const given = listAt(spec, [ARGUMENTS]);
  const args = given.flatMap((argument, index): Path[] => {
    if (typeof argument !== 'string') return [];
    const pair = /^--?([\w-]+)=(.*)$/s.exec(argument);
    const flag = pair?.[1] ?? flagBefore(given[index - 1], argument) ?? '';
    return isSecret(flag, pair?.[2] ?? argument) ? [['spec', ARGUMENTS, index]] : [];
  });
  return [...variables, ...args];
}

/** Does the path lead to an argument, not to a variable? */
export function isArgumentPath(path: Path): boolean {
  return path.length === 3 && path[1] === ARGUMENTS;
}

/** The flag whose value the argument is; undefined where it is a flag itself, or none comes before it. */
function flagBefore(before: unknown, argument: string): string | undefined {
  if (argument.startsWith('-') || typeof before !== 'string') return undefined;
  return /^--?([\w-]+)$/.exec(before)?.[1];
}

function isSecret(name: string, value: string): boolean {
  if (holdsCredential(value)) return true;
  // `$(NAME)` refers to a variable.
  return (
    NAME.test(name.replaceAll('-', '_')) && value.length >= LEAST_LENGTH && !value.includes('$(') && !PLAIN.test(value)
  );
}

function listAt(spec: unknown, at: readonly string[]): readonly unknown[] {
  let value = spec;
  for (const step of at) {
    if (!isObject(value) || !Object.hasOwn(value, step)) return [];
    value = value[step];
  }
  return Array.isArray(value) ? value : [];
}
