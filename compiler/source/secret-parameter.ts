import { isSecretName } from './secret-name.ts';

/** A URL with a query, and no other text. */
const WITH_QUERY = /^[a-z][a-z\d+.-]*:\/\/[^\s?#]+\?/i;

/** Minimum length of a secret in a parameter named `key`: shorter values are usually words. */
const LEAST_KEY = 16;

/** Switches, counts, and placeholders. */
const SAYS_NO_SECRET = /^(?:|true|false|yes|no|on|off|none|\d{1,3})$|\$[({]|\{\{|^<.*>$/i;

/** The query parameter of a URL whose name marks it as secret, such as `api_key`; undefined for other texts. */
export function findSecretParameter(text: string): string | undefined {
  if (!WITH_QUERY.test(text)) return undefined;
  const parameters = [...(URL.parse(text)?.searchParams ?? [])];
  return parameters.find(([name, value]) => isSecret(name, value))?.[0];
}

function isSecret(name: string, value: string): boolean {
  if (SAYS_NO_SECRET.test(value)) return false;
  return isSecretName(name) || (/^key$/i.test(name) && value.length >= LEAST_KEY);
}
