/** Of the URL of a repository, with its port; empty for one of this machine. */
export function parseRemoteHost(url: string): string {
  if (URL.canParse(url)) return new URL(url).host;
  // As scp writes it: `git@git.example.com:team/gateways.git`.
  return /^(?:[^@/]+@)?([^:/]+):/.exec(url)?.[1] ?? '';
}
