import { toObjectName } from './object-name.ts';

/** Labels of hosts that say nothing about whose server it is. */
const GENERAL = new Set(['ai', 'api', 'app', 'mcp', 'www']);

/** A name for the server at a URL, out of its host. */
export function nameOfUrl(url: string): string {
  const host = URL.parse(url)?.hostname ?? '';
  if (/^[\d.]+$|:|^localhost$/.test(host)) return 'local';
  const label = host.split('.').find(part => !GENERAL.has(part)) ?? host;
  return toObjectName(label, 'server');
}
