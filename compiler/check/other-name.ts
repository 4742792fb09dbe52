/** What a gateway says in two forms: who may connect, by references in `spec.incomingAuth` and in place in `config.incomingAuth`. */
import { getMember } from '#schemas';
import type { Path } from './violation.ts';

/** Instructions, by the place of the object and the name of the field that the other form has. */
const OTHER_NAMES: { readonly [place: string]: { readonly [field: string]: string } } = {
  'spec.config.incomingAuth': {
    authzConfig: 'Here policies stand in authz: { type: cedar, policies: […] }',
    oidcConfigRef: 'Here the provider stands in oidc: { issuer: …, audience: …, clientId: … }',
  },
  'spec.config.incomingAuth.authz': {
    inline: 'Here policies stand in authz itself: { type: cedar, policies: […] }',
  },
  'spec.incomingAuth': {
    authz: 'Here policies stand in authzConfig: { type: inline, inline: { policies: […] } }',
    oidc: 'Here the provider is an MCPOIDCConfig, named in oidcConfigRef: { name: …, audience: … }',
  },
};

/**
 * How the place of an unknown field says what the field says elsewhere; undefined where no place has two forms.
 *
 * @param root the object
 * @param path of the unknown field
 */
export function findOtherName(root: unknown, path: Path): string | undefined {
  if (getMember(root, 'kind') !== 'VirtualMCPServer') return undefined;
  const byField = OTHER_NAMES[path.slice(0, -1).join('.')];
  const field = String(path.at(-1));
  return byField !== undefined && Object.hasOwn(byField, field) ? byField[field] : undefined;
}
