/** A URL whose requests cannot be read or forged on the network. A string that is only known at run time has to pass {@link httpsUrl}. */
export type HttpsUrl = `https://${string}`;

/** A URL over plain http, which always requires an explicit option. */
export type HttpUrl = `http://${string}`;

/** A URL of the machine itself: requests cross no network. */
export type LoopbackUrl = `http://${'localhost' | '127.0.0.1' | '[::1]'}${'' | `:${string}` | `/${string}`}`;

/** URLs that tokens and secrets may be sent to. */
export type SafeUrl = HttpsUrl | LoopbackUrl;

/**
 * A string as an https URL, for values that are only known at run time.
 *
 * @throws Error when it is not an absolute https URL, or contains credentials
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
