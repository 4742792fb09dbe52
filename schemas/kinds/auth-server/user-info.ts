/** How the user's identity is read from an upstream. */
import { type TSchema, Type } from 'typebox';
import { HTTP_URL } from '../blocks.ts';
import { fields, oneOf, record } from '../define.ts';

export const userInfo: TSchema = fields(
  'UserInfo',
  {
    endpointUrl: Type.String({ ...HTTP_URL, description: 'Userinfo endpoint of the upstream.' }),
    httpMethod: Type.Optional(
      oneOf(['GET', 'POST'], { default: 'GET', description: 'HTTP method of the userinfo request.' }),
    ),
    additionalHeaders: Type.Optional(
      record(Type.String(), { description: 'Headers to add to the userinfo request; not for credentials.' }),
    ),
    fieldMapping: Type.Optional(
      fields(
        'UserInfoFieldMapping',
        {
          subjectFields: Type.Optional(
            Type.Array(Type.String(), {
              default: ['sub'],
              description: 'Fields for the subject, in order of precedence.',
            }),
          ),
          nameFields: Type.Optional(
            Type.Array(Type.String(), {
              default: ['name'],
              description: 'Fields for the name, in order of precedence.',
            }),
          ),
          emailFields: Type.Optional(
            Type.Array(Type.String(), {
              default: ['email'],
              description: 'Fields for the email address, in order of precedence.',
            }),
          ),
        },
        { description: 'Fields of the response to read. In each list, the first field with a value is used.' },
      ),
    ),
  },
  { description: 'A call that asks the upstream who signed in.' },
);

function path(description: string): TSchema {
  return Type.String({ minLength: 1, maxLength: 256, description });
}

export const identityFromToken: TSchema = fields(
  'IdentityFromToken',
  {
    subjectPath: path(
      'Path of the subject in the token response, such as `user.id`. `id_token|@upstreamjwt|sub` reads a claim of a JWT in the response without verifying the JWT.',
    ),
    namePath: Type.Optional(path('Path of the display name.')),
    emailPath: Type.Optional(path('Path of the email address.')),
  },
  { description: 'Reads the identity of the user from the token response instead of a userinfo request.' },
);

export const tokenResponseMapping: TSchema = fields(
  'TokenResponseMapping',
  {
    accessTokenPath: Type.String({
      minLength: 1,
      description: 'Path of the access token, such as `data.access_token`.',
    }),
    scopePath: Type.Optional(Type.String({ default: 'scope', description: 'Path of the granted scopes.' })),
    refreshTokenPath: Type.Optional(
      Type.String({ default: 'refresh_token', description: 'Path of the refresh token.' }),
    ),
    expiresInPath: Type.Optional(
      Type.String({ default: 'expires_in', description: "Path of the token's lifetime in seconds." }),
    ),
  },
  {
    description:
      'Paths of the values in a token response that does not follow OAuth. Absent: the standard fields are read.',
  },
);
