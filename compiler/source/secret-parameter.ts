import { isSecretName } from './secret-name.ts';

/** A URL with a query, and nothing around it. */
const WITH_QUERY = /^[a-z][a-z\d+.-]*:\/\/[^\s?#]+\?/i;

/** The least length of a secret that is named `key` alone: shorter ones are words more often. */
const LEAST_KEY = 16;

/** Turns something on or off, counts, or refers to what is put in later. */
const SAYS_NO_SECRET = /^(?:|true|false|yes|no|on|off|none|\d{1,3})$|\$[({]|\{\{|^<.*>$/i;

/** The query parameter of a URL that is a secret by its name, such as `api_key`; undefined for texts that are no URL with one. */
export function findSecretParameter(text: string): string | undefined {
  if (!WITH_QUERY.test(text)) return undefined;
  const parameters = [...(URL.parse(text)?.searchParams ?? [])];
  return parameters.find(([name, value]) => isSecret(name, value))?.[0];
}

function isSecret(name: string, value: string): boolean {
  if (SAYS_NO_SECRET.test(value)) return false;
  return isSecretName(name) || (/^key$/i.test(name) && value.length >= LEAST_KEY);
}
