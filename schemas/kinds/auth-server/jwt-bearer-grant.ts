import { type TSchema, Type } from 'typebox';
import { duration, HTTP_URL } from '../blocks.ts';
import { fields, form } from '../define.ts';

const resourceUrl = Type.String({ ...HTTP_URL });

/** Tokens in exchange for assertions of another issuer (RFC 7523). */
export const jwtBearerGrant: TSchema = fields(
  'JwtBearerGrant',
  {
    maxAssertionAge: duration({ description: 'How old an assertion may be; must exceed zero.' }),
    subjectBindings: Type.Array(
      fields(
        'SubjectBinding',
        {
          subject: Type.String({
            maxLength: 256,
            ...form('^[^*]+$', 'a text without "*"', 'system:serviceaccount:agents:planner'),
            description: 'Exact subject of the assertion; wildcards are not known.',
          }),
          allowedResources: Type.Array(resourceUrl, {
            minItems: 1,
            maxItems: 50,
            description: 'Resources for which this subject may get tokens, as http or https URLs.',
          }),
        },
        { description: 'What one subject may ask for.' },
      ),
      { minItems: 1, maxItems: 50, description: 'Subjects that may present assertions; each at most once.' },
    ),
    acceptedAudiences: Type.Optional(
      Type.Array(resourceUrl, {
        maxItems: 50,
        description: 'Further audiences accepted in assertions, as http or https URLs.',
      }),
    ),
  },
  {
    description: 'Lets the issuer trade its assertions for tokens. An assertion is accepted once.',
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
