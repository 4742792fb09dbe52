import type { VirtualMCPServerSpec } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { quote } from '../text/describe.ts';

/** Hosts reserved for examples. Names below them stand for servers in documentation, and are not reported. */
const SHOWN_HOST = /^(?:www\.)?example\.(?:com|net|org)$/;

/** Parts of a host name that people write while they do not know the real name. */
const LABEL = /^(?:todo|tbd|fixme|change-?me|replace-?me|placeholder|x{3,}|your-.+)$/;

/** Such parts in a path, where lower-case letters form ordinary words. */
const SEGMENT = /^(?:TODO|TBD|FIXME|CHANGE[_-]?ME|REPLACE[_-]?ME|YOUR[_-].+|<.+>)$/;

/**
 * Finds URLs of servers that still contain a placeholder.
 *
 * @holds config.aggregation, backends | `backends[].url`, `remoteUrl` | no placeholder in place of the host | LNT6026
 */
export function placeholderUrl(resource: Resource): Diagnostic[] {
  return listUrls(resource).flatMap(({ path, url }) => {
    const word = findPlaceholder(url);
    if (word === undefined) return [];
    const message = `${path.at(-1)} has ${quote(word)} in place of a name, and no server answers there`;
    return [diagnose(resource.document, 'LNT6026', path, message, { fix: 'write the URL of the server' })];
  });
}

function listUrls({ kind, spec }: Resource): readonly { readonly path: Path; readonly url: string }[] {
  if (kind === 'VirtualMCPServer') {
    const { config } = spec as VirtualMCPServerSpec;
    return (config?.backends ?? []).map(({ url }, index) => ({
      path: ['spec', 'config', 'backends', index, 'url'],
      url,
    }));
  }
  if (kind !== 'MCPServerEntry' && kind !== 'MCPRemoteProxy') return [];
  const { remoteUrl } = spec as { readonly remoteUrl: string };
  return [{ path: ['spec', 'remoteUrl'], url: remoteUrl }];
}

function findPlaceholder(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return undefined;
  const { hostname, pathname } = url;
  if (SHOWN_HOST.test(hostname)) return hostname;
  const path = pathname.replaceAll('%3C', '<').replaceAll('%3E', '>');
  return hostname.split('.').find(label => LABEL.test(label)) ?? path.split('/').find(part => SEGMENT.test(part));
}
