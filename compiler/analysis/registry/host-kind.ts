import { type AddressClass, classifyAddress, isNeverReached, METADATA_HOSTS } from '#schemas';

/**
 * Where the host of a URL is:
 *
 * - `platform`: the machine itself, or the API of the cluster.
 * - `private`: a private address, or a name that only an inner name service answers.
 * - `public`: a public address, or a well-known identity provider.
 * - `never`: an address that no author means, such as a metadata service.
 * - `unknown`: a name that may resolve to any address.
 */
export type HostKind = 'platform' | 'private' | 'public' | 'never' | 'unknown';

const PLATFORM = /^(?:(?:.+\.)?localhost|kubernetes\.default(?:\.svc(?:\.cluster\.local)?)?)$/;
/** Names without a dot, names of services in a cluster, and domains reserved for internal use (RFC 6762, RFC 8375). */
const PRIVATE = /^[^.]+$|\.(?:svc|cluster\.local|local|internal|lan|home\.arpa)$/;
const PUBLIC =
  /(?:^|\.)(?:accounts\.google\.com|googleapis\.com|login\.microsoftonline\.com|sts\.windows\.net|okta\.com|oktapreview\.com|auth0\.com|onelogin\.com|github\.com|githubusercontent\.com|gitlab\.com|amazonaws\.com|amazoncognito\.com)$/;

/** The kind of a URL's host; `unknown` for a text that is not a URL. */
export function classifyHost(url: string): HostKind {
  const host = URL.parse(url)?.hostname.toLowerCase().replace(/\.$/, '') ?? '';
  const literal = host.replace(/^\[|\]$/g, '');
  const addressClass = classifyAddress(literal);
  if (addressClass !== undefined) return toHostKind(addressClass);
  if (METADATA_HOSTS.some(name => host === name || host.endsWith(`.${name}`))) return 'never';
  if (PLATFORM.test(host)) return 'platform';
  if (host !== '' && PRIVATE.test(host)) return 'private';
  return PUBLIC.test(host) ? 'public' : 'unknown';
}

function toHostKind(addressClass: AddressClass): HostKind {
  if (isNeverReached(addressClass)) return 'never';
  if (addressClass === 'loopback') return 'platform';
  return addressClass === 'public' ? 'public' : 'private';
}
