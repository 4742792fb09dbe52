/**
 * Which `Host` a server takes. Two servers that read different ones of two see requests for different places, and a proxy that
 * decides by the first may be in front of a server that goes by the last.
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2
 */

/** `uri-host [ ":" port ]` without sub-delimiters: a comma is what joins two headers, and no name has the others. */
const HOST = /^(?:\[[0-9A-Fa-f:.]{2,45}\]|(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+)(?::[0-9]{0,5})?$/;

/**
 * Why a request is to be answered with HTTP 400; undefined for one whose Host is sound. A missing one is for the HTTP version
 * to decide: before 1.1 there was none.
 *
 * @param rawHeaders names and values alternate, as they came: parsed headers have the first Host alone
 */
export function validateHost(rawHeaders: readonly string[]): string | undefined {
  let host: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (host !== undefined) return 'several Host headers';
    host = rawHeaders[at + 1] as string;
  }
  return host === undefined || HOST.test(host) ? undefined : 'an invalid Host header';
}
