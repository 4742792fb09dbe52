import { type TSchema, Type } from 'typebox';
import { fields } from '../define.ts';
import { jwtBearerGrant } from './jwt-bearer-grant.ts';

const WILDCARD_CLIENT = "(has(self.allowedDelegateClients) && self.allowedDelegateClients.exists(c, c == '*'))";
const MAY_ACT = '(has(self.allowMayAct) && self.allowMayAct)';

/** Claims with another meaning, which cannot name the actor. */
const RESERVED_ACTOR_CLAIMS =
  "['sub', 'iss', 'aud', 'exp', 'iat', 'nbf', 'jti', 'name', 'email', 'scope', 'scp', 'may_act']";

export const trustedIssuer: TSchema = fields(
  'TrustedIssuer',
  {
    issuerUrl: Type.String({ minLength: 1, maxLength: 2048, description: 'Value of `iss` in the foreign tokens.' }),
    expectedAudience: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description: 'Value that `aud` of a subject token must contain; optional only with `jwtBearerGrant` alone.',
      }),
    ),
    jwksUrl: Type.Optional(
      Type.String({ maxLength: 2048, description: 'URL of the key set. Default: discovered from the issuer.' }),
    ),
    insecureAllowHTTP: Type.Optional(
      Type.Boolean({
        description: 'Permit plain http toward this issuer. An attacker on the network can then forge its keys.',
      }),
    ),
    allowPrivateIPs: Type.Optional(
      Type.Boolean({ description: 'Permit an issuer on a private address; needs `jwksUrl`.' }),
    ),
    actorClaim: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Claim that names the acting client in the subject token. Default: `azp`.',
      }),
    ),
    allowedActors: Type.Optional(
      Type.Array(Type.String(), { maxItems: 50, description: 'Actors whose tokens are accepted.' }),
    ),
    actorMatcher: Type.Optional(
      Type.String({
        maxLength: 4096,
        description: 'CEL expression over `claims` that decides whether an actor is accepted.',
      }),
    ),
    allowedDelegateClients: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: 50,
        description: 'Client identifiers that may exchange tokens of this issuer; `*` alone admits every client.',
      }),
    ),
    allowMayAct: Type.Optional(
      Type.Boolean({ default: false, description: 'Accept an actor that the `may_act` claim of the token names.' }),
    ),
    jwtBearerGrant: Type.Optional(jwtBearerGrant),
  },
  {
    description: 'A foreign issuer whose tokens may be exchanged for tokens of this server.',
    rules: [
      {
        rule: `!${WILDCARD_CLIENT} || size(self.allowedDelegateClients) == 1`,
        message: "allowedDelegateClients holds '*' together with other entries: keep '*' alone or list the clients",
      },
      {
        rule: `!${MAY_ACT} || !${WILDCARD_CLIENT}`,
        message: "allowMayAct cannot be combined with '*': list the clients in allowedDelegateClients",
      },
      {
        rule: `!has(self.actorClaim) || !(self.actorClaim in ${RESERVED_ACTOR_CLAIMS})`,
        message:
          'actorClaim names a reserved claim: use one that identifies a client, such as client_id, azp, appid or cid',
      },
      {
        rule: '!has(self.allowPrivateIPs) || !self.allowPrivateIPs || (has(self.jwksUrl) && size(self.jwksUrl) > 0)',
        message: 'allowPrivateIPs needs an explicit jwksUrl',
      },
      {
        rule: `has(self.expectedAudience) || (has(self.jwtBearerGrant) && !has(self.allowedDelegateClients) && !has(self.actorClaim) && !has(self.actorMatcher) && !has(self.allowedActors) && !${MAY_ACT})`,
        message: 'expectedAudience is missing: only an issuer with nothing but jwtBearerGrant can do without it',
      },
      {
        rule: `has(self.allowedDelegateClients) || (!has(self.expectedAudience) && !has(self.actorClaim) && !has(self.actorMatcher) && !${MAY_ACT})`,
        message:
          'allowedDelegateClients is missing: it says who may use expectedAudience, actorClaim, actorMatcher or allowMayAct',
      },
    ],
  },
);
