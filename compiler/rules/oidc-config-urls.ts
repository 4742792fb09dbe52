import type { MCPOIDCConfig } from '#schemas';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnose } from '../resolve/diagnose.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';

type OidcSpec = NonNullable<MCPOIDCConfig['spec']>;

/** Keys and claims come by https: whoever can change them on the way can sign in as anybody. */
export function oidcConfigUrls(resource: Resource): Diagnostic[] {
  if (resource.kind !== 'MCPOIDCConfig') return [];
  const { inline } = resource.spec as OidcSpec;
  if (inline === undefined) return [];
  return (['issuer', 'jwksUrl'] as const).flatMap(field => {
    const text = inline[field];
    const path = ['spec', 'inline', field];
    if (text === '' && field === 'issuer') {
      // The API server and the reference let it in; no token can have such an issuer.
      return [diagnose(resource.document, 'LNT1010', path, 'the issuer is empty', { severity: 'warning' })];
    }
    return text === undefined || text === '' ? [] : url(resource, field, text, inline.insecureAllowHTTP === true, path);
  });
}

function url(resource: Resource, field: string, text: string, allowHttp: boolean, path: Path): Diagnostic[] {
  const parsed = URL.parse(text);
  if (parsed === null || parsed.hostname === '' || !/^https?:$/.test(parsed.protocol)) {
    return [diagnose(resource.document, 'LNT6011', path, `${field} is not a complete http or https URL`)];
  }
  if (parsed.protocol === 'https:' || allowHttp) return [];
  const fix = 'use https, or for development set insecureAllowHTTP to true';
  return [diagnose(resource.document, 'LNT4004', path, `${field} is plain http`, { fix })];
}
