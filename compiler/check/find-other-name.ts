/**
 * Incoming authentication has two forms in a gateway's spec: `spec.incomingAuth` refers to other objects, and `spec.config.incomingAuth` contains
 * all settings. Says how to write a setting that has the name of the other form.
 */
import { getMember } from '#schemas';
import type { Path } from './violation.ts';

/** Instructions by the path of the parent object and the name of a field that is valid only in the other form. */
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

/** Instructions by the value of `spec.incomingAuth.type`, for types that only `spec.config.incomingAuth` has. */
const OTHER_TYPES: { readonly [type: string]: string } = {
  local:
    'Write config.incomingAuth: { type: local } and leave spec.incomingAuth out; such a gateway opens on this machine only',
};

/**
 * Where to write an invalid type of incoming authentication that the other form has; undefined for every other value.
 *
 * @param root the object
 * @param path of the value
 */
export function findOtherType(root: unknown, path: Path, value: string | undefined): string | undefined {
  const isType = getMember(root, 'kind') === 'VirtualMCPServer' && path.join('.') === 'spec.incomingAuth.type';
  return isType && value !== undefined && Object.hasOwn(OTHER_TYPES, value) ? OTHER_TYPES[value] : undefined;
}

/**
 * How to write an unknown field in the form to which its parent object belongs; undefined when the other form has no such field either.
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
