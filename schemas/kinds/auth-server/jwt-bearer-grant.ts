import { type TSchema, Type } from 'typebox';
import { duration, HTTP_URL } from '../blocks.ts';
import { fields, form } from '../define.ts';

const resourceUrl = Type.String({ ...HTTP_URL });

/** Tokens in exchange for assertions of another issuer (RFC 7523). */
export const jwtBearerGrant: TSchema = fields(
  'JwtBearerGrant',
  {
    maxAssertionAge: duration({ description: 'Maximum age of an assertion; more than zero.' }),
    subjectBindings: Type.Array(
      fields(
        'SubjectBinding',
        {
          subject: Type.String({
            maxLength: 256,
            ...form('^[^*]+$', 'a text without "*"', 'system:serviceaccount:agents:planner'),
            description: 'Exact subject of the assertion; wildcards are not supported.',
          }),
          allowedResources: Type.Array(resourceUrl, {
            minItems: 1,
            maxItems: 50,
            description: 'Resources for which this subject may get tokens, as http or https URLs.',
          }),
        },
        { description: 'Resources for which one subject may get tokens.' },
      ),
      { minItems: 1, maxItems: 50, description: 'Subjects that may present assertions. Each subject may occur once.' },
    ),
    acceptedAudiences: Type.Optional(
      Type.Array(resourceUrl, {
        maxItems: 50,
        description: 'Further audiences accepted in assertions, as http or https URLs.',
      }),
    ),
  },
  {
    description:
      'Accept assertions of this issuer as an authorization grant (RFC 7523). Each assertion is accepted once.',
    rules: [
      {
        rule: "duration(self.maxAssertionAge) > duration('0s')",
        message: 'maxAssertionAge must be longer than zero, for example 5m',
      },
      {
        rule: 'self.subjectBindings.all(b, self.subjectBindings.exists_one(o, o.subject == b.subject))',
        message: 'subjectBindings names a subject twice: merge the allowedResources of both entries',
      },
    ],
  },
);
