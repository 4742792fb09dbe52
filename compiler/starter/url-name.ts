import { toObjectName } from './object-name.ts';

/** Host labels that do not identify the server. */
const GENERAL = new Set(['ai', 'api', 'app', 'mcp', 'www']);

/** A server name derived from a URL's host. */
export function toServerName(url: string): string {
  const host = URL.parse(url)?.hostname ?? '';
  if (/^[\d.]+$|:|^localhost$/.test(host)) return 'local';
  const label = host.split('.').find(part => !GENERAL.has(part)) ?? host;
  return toObjectName(label, 'server');
}
