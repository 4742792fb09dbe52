/** Host and port of a URL. An invalid URL, which has its own finding, is returned unchanged. */
export function parseHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
