/** Settings of a gateway with two forms: incoming authentication by reference in `spec.incomingAuth`, and inline in `config.incomingAuth`. */
import { getMember } from '#schemas';
import type { Path } from './violation.ts';

/** Instructions, by the parent object and the name of a field of the other form. */
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

/** The types of callers that only the other form has. */
const OTHER_TYPES: { readonly [type: string]: string } = {
  local:
    'It stands in config.incomingAuth: { type: local }, which opens on this machine alone; leave spec.incomingAuth out then',
};

/**
 * Where a value belongs that another place takes; undefined where none does.
 *
 * @param root the object
 * @param path of the value
 */
export function findOtherType(root: unknown, path: Path, value: string | undefined): string | undefined {
  const isType = getMember(root, 'kind') === 'VirtualMCPServer' && path.join('.') === 'spec.incomingAuth.type';
  return isType && value !== undefined && Object.hasOwn(OTHER_TYPES, value) ? OTHER_TYPES[value] : undefined;
}

/**
 * How to write an unknown field in the form of its parent object; undefined when the setting has only one form.
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
