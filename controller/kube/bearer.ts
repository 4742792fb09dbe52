import { KubeConfigError } from './config-error.ts';

/**
 * The header for a token from a file or field.
 *
 * @throws KubeConfigError when it cannot be sent; the message does not show it
 */
export function bearer(text: string, field: string): string {
  const token = text.trim();
  if (token === '') throw new KubeConfigError(`${field}: the token is empty`);
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new KubeConfigError(`${field}: the token has blanks, line breaks or characters beyond ASCII`);
  }
  return `Bearer ${token}`;
}
