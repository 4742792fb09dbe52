import { checkProps } from '../known-props.ts';
import type { Call, CallSite } from '../origins.ts';
import { toManifestValue } from '../values/manifest-value.ts';
import type { SafeUrl } from '../values/url.ts';
import { type GroupClaims, groupClaims } from './group-claims.ts';
import type { Incoming } from './incoming.ts';

/** What one gateway requires of a token, and what its metadata says. */
export interface OidcAudience {
  /** Public URL of the gateway, for its protected-resource metadata (RFC 9728). Default: its URL inside of the cluster. */
  readonly resourceUrl?: SafeUrl;
  /** Scopes that the metadata tells clients to ask for. Default: `openid`. */
  readonly scopes?: readonly string[];
  /** Which claims contain the groups of a caller. */
  readonly groups?: GroupClaims;
}

/** @param named position of the issuer's name, when it is not in the call */
export function oidcAudience(
  name: string,
  named: CallSite | undefined,
  audience: string,
  props: OidcAudience,
  call: Call,
): Incoming {
  checkProps('forAudience', props, { resourceUrl: true, scopes: true, groups: true });
  const { resourceUrl, scopes, groups } = props;
  if (audience === '') throw new Error('the audience is empty: no token could be for this gateway');
  const at = '/spec/incomingAuth/oidcConfigRef';
  return {
    knowsCallers: true,
    bind: () => ({
      incomingAuth: {
        type: 'oidc',
        oidcConfigRef: toManifestValue({ name, audience, resourceUrl, scopes }) as { name: string; audience: string },
      },
      ...groupClaims(groups),
      origins: [
        { pointer: '/spec/incomingAuth', callSite: call.at() },
        ...(named === undefined ? [] : [{ pointer: `${at}/name`, callSite: named }]),
        { pointer: `${at}/audience`, callSite: call.at(0) },
        { pointer: `${at}/resourceUrl`, callSite: call.at(1, 'resourceUrl') },
        { pointer: `${at}/scopes`, callSite: call.at(1, 'scopes') },
      ],
    }),
  };
}
