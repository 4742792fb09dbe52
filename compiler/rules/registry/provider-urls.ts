import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { type Placed, providersOf, type RegistryDocument } from '../../registry/document.ts';
import { diagnose } from '../../resolve/diagnose.ts';
import { isExposedHttp } from '../plain-http.ts';
import { webUrlProblem } from './web-url.ts';

/** Keys and answers about tokens come from these URLs: whoever can change them on the way can sign in as anybody. */
export function providerUrls(registry: RegistryDocument): Diagnostic[] {
  return providersOf(registry).flatMap(({ value, path }) =>
    (['issuerUrl', 'jwksUrl', 'introspectionUrl'] as const).flatMap(field => {
      const text = value[field];
      return text === undefined ? [] : judge(registry, field, { value: text, path: [...path, field] });
    }),
  );
}

function judge({ document }: RegistryDocument, field: string, { value, path }: Placed<string>): Diagnostic[] {
  const problem = webUrlProblem(value);
  if (problem !== undefined) return [diagnose(document, 'LNT6011', path, `${field} ${problem}`)];
  // An issuer is an identifier to which a path is added (OpenID Connect Discovery 1.0, section 4).
  if (field === 'issuerUrl' && /[?#]/.test(value))
    return [diagnose(document, 'LNT6011', path, 'issuerUrl has a query or a fragment, which no issuer has')];
  if (isExposedHttp(value)) return [diagnose(document, 'LNT8007', path, `${field} is plain http`)];
  return [];
}
