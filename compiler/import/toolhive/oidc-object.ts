/** Converts `oidcConfig`, which older versions had in each server, into an MCPOIDCConfig that servers share, and a reference to it. */
import { isObject } from '#schemas';
import type { LostPart } from '../found.ts';
import type { MutableFields } from './migrate-object.ts';

export type OidcObject =
  | {
      readonly spec: MutableFields;
      /** The part that stays in each server. */
      readonly reference: MutableFields;
      readonly lost: readonly LostPart[];
    }
  | { readonly reason: string };

/** Fields that were a path or a value and are now a reference. */
const LOST: Readonly<Record<string, string>> = {
  clientSecret:
    'the secret is not written: put it into a Secret, and name that in clientSecretRef of the MCPOIDCConfig',
  thvCABundlePath: 'put the certificates into a ConfigMap, and name that in caBundleRef of the MCPOIDCConfig',
};

export function buildOidcObject(config: MutableFields, location: string): OidcObject {
  const type = config.type ?? 'kubernetes';
  if (type === 'configMap')
    return { reason: 'what the ConfigMap holds is not in this file: write it as an MCPOIDCConfig, and refer to that' };
  const member = type === 'inline' ? 'inline' : 'kubernetes';
  const settings: MutableFields = isObject(config[member]) ? { ...config[member] } : {};
  const { audience, scopes, ...provider } = settings;
  if (typeof audience !== 'string' || audience === '')
    return {
      reason:
        'it has no audience, so it takes tokens for any server of its issuer: write an MCPOIDCConfig, and a reference with an audience',
    };
  const lost: LostPart[] = [];
  for (const [name, reason] of Object.entries(LOST)) {
    if (provider[name] === undefined || provider[name] === '') continue;
    delete provider[name];
    lost.push({ part: `${location}.${member}.${name}`, reason });
  }
  const { resourceUrl } = config;
  return {
    spec:
      type === 'inline'
        ? { type, inline: provider }
        : { type: 'kubernetesServiceAccount', kubernetesServiceAccount: provider },
    reference: { audience, ...(scopes !== undefined && { scopes }), ...(resourceUrl !== undefined && { resourceUrl }) },
    lost,
  };
}
