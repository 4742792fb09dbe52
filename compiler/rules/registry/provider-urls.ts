import type { RegistryProvider } from '#schemas';
import {
  listContactedUrls,
  listProviders,
  type RegistryDocument,
  type ValueAtPath,
} from '../../analysis/registry/document.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { isExposedHttp, isPlainHttp } from '../support/plain-http.ts';
import { findWebUrlProblem } from '../support/web-url.ts';

/**
 * Keys and introspection responses must be fetched over https: an attacker who can change them can impersonate any user.
 *
 * @holds Registry server | `providers[].issuerUrl`, `jwksUrl`, `introspectionUrl` | complete URLs; https, except on loopback | LNT6011,
 *   LNT8007
 */
export function providerUrls(registry: RegistryDocument): Diagnostic[] {
  return listProviders(registry).flatMap(provider => [
    ...(['issuerUrl', 'jwksUrl', 'introspectionUrl'] as const).flatMap(field => {
      const text = provider.value[field];
      return text === undefined ? [] : checkUrl(registry, field, { value: text, path: [...provider.path, field] });
    }),
    ...checkMixedSchemes(registry, provider),
  ]);
}

/** The server contacts a provider over plain http only if all of its URLs are http URLs of this machine. */
function checkMixedSchemes({ document }: RegistryDocument, provider: ValueAtPath<RegistryProvider>): Diagnostic[] {
  const urls = listContactedUrls(provider);
  const secure = urls.find(({ value }) => URL.parse(value)?.protocol === 'https:');
  if (secure === undefined) return [];
  return urls
    .filter(({ value }) => isPlainHttp(value) && !isExposedHttp(value))
    .map(({ path }) => {
      const message = `${path.at(-1)} is plain http, and ${secure.path.at(-1)} is https: the server then refuses plain http for this provider`;
      return diagnose(document, 'LNT8007', path, message);
    });
}

function checkUrl({ document }: RegistryDocument, field: string, { value, path }: ValueAtPath<string>): Diagnostic[] {
  const problem = findWebUrlProblem(value);
  if (problem !== undefined) return [diagnose(document, 'LNT6011', path, `${field} ${problem}`)];
  // A discovery path is appended to the issuer (OpenID Connect Discovery 1.0, section 4).
  if (field === 'issuerUrl' && /[?#]/.test(value))
    return [diagnose(document, 'LNT6011', path, 'issuerUrl has a query or a fragment, which no issuer has')];
  if (isExposedHttp(value)) return [diagnose(document, 'LNT8007', path, `${field} is plain http`)];
  return [];
}
