import { KubeConfigError } from './config-error.ts';

/**
 * The header for a token from a file or field.
 * @throws KubeConfigError for an invalid header value; the message does not contain it
 */
export function toBearer(text: string, field: string): string {
  const token = text.trim();
  if (token === '') throw new KubeConfigError(`${field}: the token is empty`);
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new KubeConfigError(`${field}: the token has blanks, line breaks or characters beyond ASCII`);
  }
  return `Bearer ${token}`;
}
