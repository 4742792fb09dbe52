/** The host of a repository's URL, with its port; empty for a repository on this machine. */
export function parseRemoteHost(url: string): string {
  if (URL.canParse(url)) return new URL(url).host;
  // The scp form: `git@git.example.com:team/gateways.git`.
  return /^(?:[^@/]+@)?([^:/]+):/.exec(url)?.[1] ?? '';
}
