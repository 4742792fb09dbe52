/** Settings of a gateway with two forms: incoming authentication by reference in `spec.incomingAuth`, and inline in `config.incomingAuth`. */
import { getMember } from '#schemas';
import type { Path } from './violation.ts';

/** Instructions by the parent object and the field's name. The field is valid in the other form of gateway. */
const OTHER_NAMES: { readonly [location: string]: { readonly [field: string]: string } } = {
  'spec.config.incomingAuth': {
    authzConfig: 'Write the policies in authz: { type: cedar, policies: […] }',
    oidcConfigRef: 'Write the provider in oidc: { issuer: …, audience: …, clientId: … }',
  },
  'spec.config.incomingAuth.authz': {
    inline: 'Write the policies in authz itself: { type: cedar, policies: […] }',
  },
  'spec.incomingAuth': {
    authz: 'Write the policies in authzConfig: { type: inline, inline: { policies: […] } }',
    oidc: 'Write the provider as an MCPOIDCConfig and name it in oidcConfigRef: { name: …, audience: … }',
  },
};

/** The types of callers that only the other form of gateway has. */
const OTHER_TYPES: { readonly [type: string]: string } = {
  local:
    'Write config.incomingAuth: { type: local } and leave spec.incomingAuth out; such a gateway opens on this machine only',
};

/**
 * The location that accepts a value of this type; undefined where no location does.
 *
 * @param root the object
 * @param path of the value
 */
export function findOtherType(root: unknown, path: Path, value: string | undefined): string | undefined {
  const isType = getMember(root, 'kind') === 'VirtualMCPServer' && path.join('.') === 'spec.incomingAuth.type';
  return isType && value !== undefined && Object.hasOwn(OTHER_TYPES, value) ? OTHER_TYPES[value] : undefined;
}

/**
 * How to write an unknown field in the form that its parent object has; undefined when the setting has only one form.
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
