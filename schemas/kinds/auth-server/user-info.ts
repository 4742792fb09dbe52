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
            Type.Array(Type.String(), { default: ['sub'], description: 'Fields that may hold the subject, in order.' }),
          ),
          nameFields: Type.Optional(
            Type.Array(Type.String(), { default: ['name'], description: 'Fields that may hold the name, in order.' }),
          ),
          emailFields: Type.Optional(
            Type.Array(Type.String(), { default: ['email'], description: 'Fields that may hold the email, in order.' }),
          ),
        },
        { description: 'Which fields of the answer to read; the first that is not empty counts.' },
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
      'Path of the subject in the token response, with dots. `id_token|@upstreamjwt|sub` looks inside a JWT without verifying it.',
    ),
    namePath: Type.Optional(path('Path of the display name.')),
    emailPath: Type.Optional(path('Path of the email address.')),
  },
  { description: 'Reads the identity out of the token response, so that no userinfo call is made.' },
);

export const tokenResponseMapping: TSchema = fields(
  'TokenResponseMapping',
  {
    accessTokenPath: Type.String({ minLength: 1, description: 'Path of the access token, with dots.' }),
    scopePath: Type.Optional(Type.String({ default: 'scope', description: 'Path of the granted scopes.' })),
    refreshTokenPath: Type.Optional(
      Type.String({ default: 'refresh_token', description: 'Path of the refresh token.' }),
    ),
    expiresInPath: Type.Optional(
      Type.String({ default: 'expires_in', description: 'Path of the life span in seconds.' }),
    ),
  },
  { description: 'Where to find the parts of a token response that does not follow OAuth. Absent: standard fields.' },
);
