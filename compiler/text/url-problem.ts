/** Says what is wrong with an address that an operator gave. */

/**
 * What keeps a text from being an http or https URL with a host, as a sentence; undefined for such a URL. The sentence does not repeat the text,
 * because it may contain a secret.
 */
export function findUrlProblem(text: string): string | undefined {
  const [, start, authority = ''] = /^(https?:\/\/)?([^/?#]*)/i.exec(text) ?? [];
  if (start === undefined) return 'it does not begin with http:// or https://';
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const [, name = '', port = ''] = /^(\[[^\]]*\]?|[^:]*)(?::(.*))?$/.exec(host) ?? [];
  if (name === '') return 'it names no host';
  if (port !== '' && !(/^\d+$/.test(port) && Number(port) <= 65_535)) return 'its port is not a number from 1 to 65535';
  return URL.canParse(text) ? undefined : 'its host is not the name or the address of a machine';
}
