/** Host and port of a URL. What is no URL is a finding of its own, and stands for itself. */
export function parseHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
