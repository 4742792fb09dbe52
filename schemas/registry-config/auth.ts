import { type TSchema, Type } from 'typebox';
import { fields, form, listMap, oneOf } from '../kinds/define.ts';
import { claims } from './define.ts';
import { provider } from './provider.ts';

const oauth = fields(
  'RegistryOAuth',
  {
    resourceUrl: Type.String({
      minLength: 1,
      description: 'The URL of this registry server as callers know it: `resource` of its metadata (RFC 9728).',
    }),
    realm: Type.Optional(
      Type.String({
        minLength: 1,
        default: 'mcp-registry',
        // Characters that need no escape inside the quotes of a challenge.
        ...form('^[ !#-\\[\\]-~]*$', 'printable ASCII without quotes and backslashes', 'mcp-registry'),
        description: 'The realm of the challenge `WWW-Authenticate`.',
      }),
    ),
    publicPaths: Type.Optional(
      Type.Array(Type.String({ ...form('^/', 'a path that starts with a slash', '/healthz') }), {
        description:
          'Paths that need no token, with all below them, in addition to `/browse`, `/openapi.json`, `/openapi.yaml` and `/.well-known`. Compared segment by segment.',
      }),
    ),
    providers: listMap(provider, ['name'], {
      minItems: 1,
      description: 'Identity providers, tried in this order; the first that accepts a token wins.',
    }),
  },
  { description: 'Who issues tokens for this server.' },
);

const role = (what: string): TSchema =>
  Type.Optional(
    Type.Array(claims({ description: 'Claims that a caller must have, all of them.' }), {
      description: `Who may ${what}: callers that one of the entries fits.`,
    }),
  );

const authz = fields(
  'RegistryAuthz',
  {
    roles: Type.Optional(
      fields(
        'RegistryRoles',
        {
          superAdmin: role('do everything and see every entry, also entries whose claims the caller lacks'),
          manageSources: role('manage sources'),
          manageRegistries: role('manage registries'),
          manageEntries: role('manage entries'),
        },
        { description: 'Who has which role.' },
      ),
    ),
  },
  {
    description:
      'Switches authorization on, even if it is empty: what has no `claims` is then for super admins only. Without it every authenticated caller may do everything.',
  },
);

/** How callers are authenticated, and what they may do. */
export const auth: TSchema = fields(
  'RegistryAuth',
  {
    mode: Type.Optional(
      oneOf(['oauth', 'anonymous'], {
        default: 'oauth',
        description: '`oauth`: callers present access tokens. `anonymous`: everybody may read everything.',
      }),
    ),
    oauth: Type.Optional(oauth),
    authz: Type.Optional(authz),
  },
  {
    description:
      'How callers are authenticated, and what they may do. `oauth` is required unless `mode` is `anonymous`.',
  },
);
