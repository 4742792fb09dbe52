/**
 * Which `Host` headers a server accepts. With two different ones, a proxy may decide by the first while the server behind it uses the last.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2
 */

/** `uri-host [ ":" port ]` without sub-delimiters: a comma joins two headers, and names contain none of the others. */
const HOST = /^(?:\[[0-9A-Fa-f:.]{2,45}\]|(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+)(?::[0-9]{0,5})?$/;

/**
 * Why the request must be answered with HTTP 400; undefined when its Host is valid. A missing Host is allowed here, because HTTP before 1.1
 * has none.
 *
 * @param rawHeaders alternating names and values, unparsed: parsed headers only have the first Host
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
