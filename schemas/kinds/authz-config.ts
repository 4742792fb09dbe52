import { type TProperties, type TSchema, Type } from 'typebox';
import { type Form, fields, form, identifier, objectRef, oneOf } from './define.ts';

/** Names of upstream identity providers: a DNS label. */
export const UPSTREAM_NAME: Form = form(
  '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
  'lower-case letters, digits and hyphens, but no hyphen at an end',
  'corporate-login',
);

/** A field that names an upstream provider of an embedded authorization server. */
export function upstreamName(options: { readonly description: string; readonly deprecated?: true }): TSchema {
  return Type.String({ minLength: 1, maxLength: 63, ...UPSTREAM_NAME, ...options });
}

/** How claims become Cedar entities. */
export const entityClaims: TProperties = {
  groupClaimName: Type.Optional(
    Type.String({ maxLength: 253, description: 'Claim that lists the groups of the caller.' }),
  ),
  roleClaimName: Type.Optional(
    Type.String({
      maxLength: 253,
      description: 'Second claim whose values count as groups, typically a claim with roles.',
    }),
  ),
  groupEntityType: Type.Optional(
    Type.String({
      maxLength: 63,
      ...identifier('Group'),
      default: 'Group',
      description:
        'Cedar entity type for the values of the group and role claims. Default: `Group`, with which the group `dev` is `Group::"dev"` in policies.',
    }),
  ),
};

const inline = fields(
  'InlineAuthz',
  {
    policies: Type.Array(Type.String(), { minItems: 1, description: 'Cedar policies, one per item.' }),
    entitiesJson: Type.Optional(
      Type.String({ default: '[]', description: 'Static Cedar entities as a JSON array in a string.' }),
    ),
    primaryUpstreamProvider: Type.Optional(
      upstreamName({
        deprecated: true,
        description:
          'Upstream whose access token supplies the claims for policies. Prefer `authServerConfig.primaryUpstreamProvider`, which takes precedence. Empty: the first upstream.',
      }),
    ),
  },
  { description: 'Policies in this object.' },
);

/** Authorization by Cedar policies. */
export const authzConfig: TSchema = fields(
  'AuthzConfig',
  {
    type: oneOf(['configMap', 'inline'], {
      description: 'Location of the policies. The field of the same name must be set.',
      default: 'configMap',
    }),
    configMap: Type.Optional(
      fields(
        'AuthzConfigMap',
        {
          name: objectRef('ConfigMap', { description: 'Name of the ConfigMap.' }),
          key: Type.Optional(
            Type.String({ default: 'authz.json', description: 'Key that holds the authorization document.' }),
          ),
        },
        { description: 'ConfigMap that holds the policies.' },
      ),
    ),
    inline: Type.Optional(inline),
    ...entityClaims,
  },
  {
    description:
      'Authorization policies. If there are policies, the server refuses every request that no policy permits.',
    rules: [
      {
        rule: "(self.type == 'configMap') == has(self.configMap)",
        message: "authzConfig.configMap must be present when type is 'configMap' and absent otherwise",
      },
      {
        rule: "(self.type == 'inline') == has(self.inline)",
        message: "authzConfig.inline must be present when type is 'inline' and absent otherwise",
      },
    ],
  },
);
