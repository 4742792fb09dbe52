/** The summary of a registry server above the tables. */
import { formatClaims } from '../registry/claim-requirements.ts';
import type { RegistryAuthorization, RegistryExposure } from '../registry/registry-exposure.ts';
import { type Fact, listBundleFacts } from './facts.ts';

export function listRegistryFacts(exposure: RegistryExposure): readonly Fact[] {
  const { authentication, authorization, internalPaths } = exposure;
  const isOpen = authentication.type === 'anonymous';
  return [
    {
      name: 'Gets in',
      text: isOpen
        ? 'anyone who can connect'
        : `callers with a token of ${authentication.providers.map(({ name }) => name).join(' or ')}`,
    },
    { name: 'May see', text: formatAuthorization(authorization) },
    {
      name: 'Other paths',
      text: isOpen ? 'are not found' : 'answer 401 without a token and 404 with one; the API only reads',
    },
    {
      name: 'Internal',
      text: `${internalPaths.join(', ')} at the internal address, for every client that can connect to it`,
    },
    ...listBundleFacts(exposure),
  ];
}

function formatAuthorization(authorization: RegistryAuthorization): string {
  if (authorization.type === 'none') return 'everything';
  if (authorization.type === 'authenticated') return 'everything, with any of these tokens: there is no auth.authz';
  const rules = authorization.superAdmins.filter(rule => Object.keys(rule).length > 0);
  const admins = rules.length === 0 ? 'of whom there are none' : `with ${rules.map(formatClaims).join('; or with ')}`;
  return `what the claims of registries and sources permit; super admins see everything, ${admins}`;
}
