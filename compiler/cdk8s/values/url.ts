/**
 * A URL whose requests cannot be read or answered on the network path. A text that is known at run time only goes through {@link httpsUrl}.
 */
export type HttpsUrl = `https://${string}`;

/** A URL over plain http, for which there is always a switch that says so. */
export type HttpUrl = `http://${string}`;

/** A URL of the machine itself: what is sent there crosses no network. */
export type LoopbackUrl = `http://${'localhost' | '127.0.0.1' | '[::1]'}${'' | `:${string}` | `/${string}`}`;

/** Where tokens and secrets may go. */
export type SafeUrl = HttpsUrl | LoopbackUrl;

/**
 * A text as an https URL, for values that the compiler of TypeScript does not know.
 *
 * @throws Error when it is no complete https URL, or carries credentials
 * @example
 * Oidc.inline(this, 'corp', { issuer: httpsUrl(settings.issuer) });
 */
export function httpsUrl(text: string): HttpsUrl {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'https:' || url.hostname === '' || !/^https:\/\//i.test(text))
    throw new Error('expected a complete https URL, such as https://id.example.com');
  if (url.username !== '' || url.password !== '')
    throw new Error('a URL must not carry credentials: refer to a Secret');
  return text as HttpsUrl;
}
