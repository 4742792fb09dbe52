import { INTERNAL_PATHS, INTERNAL_PORT, REGISTRY_PATH } from '#schemas';
import { findOAuth, type RegistryDocument } from '../../analysis/registry/document.ts';
import { splitPath } from '../../analysis/registry/public-path.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { isExposedHttp } from '../support/plain-http.ts';
import { findWebUrlProblem } from '../support/web-url.ts';

/**
 * Clients compare `resourceUrl` with the URL that they use, and refuse metadata of another one (RFC 9728, 3.3).
 *
 * @holds Registry server | `oauth.resourceUrl` | required; http or https, no query or fragment; https, except on loopback | LNT6011, LNT8007
 * @holds Registry server | `oauth.resourceUrl` | a URL under which the server can be reached | LNT8010
 */
export function resourceUrl(registry: RegistryDocument): Diagnostic[] {
  const oauth = findOAuth(registry);
  if (oauth === undefined) return [];
  const { document } = registry;
  const text = oauth.value.resourceUrl;
  const path = [...oauth.path, 'resourceUrl'];
  const problem = findWebUrlProblem(text);
  if (problem !== undefined) return [diagnose(document, 'LNT6011', path, `resourceUrl ${problem}`)];
  if (/[?#]/.test(text))
    return [diagnose(document, 'LNT6011', path, 'resourceUrl has a query or a fragment; it names the whole server')];
  const other = findOtherSpelling(text) ?? findOtherPlace(new URL(text), registry);
  return [
    ...(isExposedHttp(text)
      ? [
          diagnose(document, 'LNT8007', path, 'resourceUrl is plain http, so tokens can be read on the way', {
            severity: 'warning',
          }),
        ]
      : []),
    ...(other === undefined ? [] : [diagnose(document, 'LNT8010', path, `resourceUrl ${other}`)]),
  ];
}

/** Clients compare the normalized URL; a path without segments may omit its slash. */
function findOtherSpelling(text: string): string | undefined {
  const { href, pathname } = new URL(text);
  if (pathname.includes('//')) return 'has an empty segment in its path, which proxies and clients may take out';
  return href === text || href === `${text}/` ? undefined : `is the URL ${href} for clients; write it that way`;
}

/** Why the server cannot be at the URL, as far as known without running it. */
function findOtherPlace(url: URL, { document, config }: RegistryDocument): string | undefined {
  if (url.port === String(INTERNAL_PORT)) return `has port ${url.port}, which is the internal address`;
  const segments = splitPath(url.pathname);
  const last = segments.at(-1) ?? '';
  const isRegistry = config.registries.some(({ name }) => url.pathname.endsWith(`${REGISTRY_PATH}/${name}`));
  if (
    isRegistry ||
    segments.includes('.well-known') ||
    ['openapi.json', 'openapi.yaml', 'v0.1', 'v0', 'servers'].includes(last)
  )
    return 'names one path of the server; it must be the URL that everything else is below';
  if (INTERNAL_PATHS.includes(`/${last}`)) return `ends with ${last}, which the internal address answers`;
  // The Service of an MCPRegistry has the name of the object and `-api`.
  const inCluster = /^([^.]+)(?:\.([^.]+)(?:\.svc(?:\.cluster\.local)?)?)?$/.exec(url.hostname);
  const isService = /\.svc(?:\.cluster\.local)?$/.test(url.hostname);
  if (document.kind !== 'MCPRegistry' || !isService || inCluster === null) return undefined;
  const [, service, namespace] = inCluster;
  if (service === `${document.name}-api` && namespace === document.namespace) return undefined;
  return `names another service than "${document.name}-api" in namespace "${document.namespace}"`;
}
