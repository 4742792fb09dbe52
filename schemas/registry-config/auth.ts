import { type TSchema, Type } from 'typebox';
import { fields, form, listMap, oneOf } from '../kinds/define.ts';
import { claims } from './define.ts';
import { provider } from './provider.ts';

const oauth = fields(
  'RegistryOAuth',
  {
    resourceUrl: Type.String({
      minLength: 1,
      description:
        'URL of this registry server that callers use. The server advertises it as `resource` of its protected-resource metadata (RFC 9728).',
    }),
    realm: Type.Optional(
      Type.String({
        minLength: 1,
        default: 'mcp-registry',
        // Characters that need no escape inside the quotes of a challenge.
        ...form('^[ !#-\\[\\]-~]*$', 'printable ASCII without quotes and backslashes', 'mcp-registry'),
        description: '`realm` in the `WWW-Authenticate` header.',
      }),
    ),
    publicPaths: Type.Optional(
      Type.Array(Type.String({ ...form('^/', 'a path that starts with a slash', '/healthz') }), {
        description:
          'Paths that need no token, including every path below them. They are compared segment by segment. `/browse`, `/openapi.json`, `/openapi.yaml` and `/.well-known` never need a token.',
      }),
    ),
    providers: listMap(provider, ['name'], {
      minItems: 1,
      description: 'Identity providers. The server tries them in this order until a provider accepts the token.',
    }),
  },
  {
    description: 'Identity providers whose tokens this server accepts, and the metadata that it advertises to clients.',
  },
);

const role = (what: string): TSchema =>
  Type.Optional(
    Type.Array(claims({ description: 'Claims that a caller must have; all of them are required.' }), {
      description: `Callers who may ${what}: those that have the claims of one of these entries.`,
    }),
  );

const authz = fields(
  'RegistryAuthz',
  {
    roles: Type.Optional(
      fields(
        'RegistryRoles',
        {
          superAdmin: role('do everything and see every entry, including entries whose claims they lack'),
          manageSources: role('manage sources'),
          manageRegistries: role('manage registries'),
          manageEntries: role('manage entries'),
        },
        { description: 'Callers of each role.' },
      ),
    ),
  },
  {
    description:
      'Turns authorization on, even if the section is empty: only super admins then see registries and entries without `claims`. Without this section, every authenticated caller may do everything.',
  },
);

/** How callers are authenticated, and what they may do. */
export const auth: TSchema = fields(
  'RegistryAuth',
  {
    mode: Type.Optional(
      oneOf(['oauth', 'anonymous'], {
        default: 'oauth',
        description:
          '`oauth`: callers present access tokens. `anonymous`: every client may read everything without a token.',
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
