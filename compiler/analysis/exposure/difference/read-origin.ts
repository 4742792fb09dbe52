/** Scheme, host and port; the whole text when it is not a URL. */
export function readOrigin(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
