/** For any response of an endpoint, the result is a token that can be sent, or an error that reveals nothing of the response. Seeded. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCredentials, readErrorCode } from '../../../../runtime/auth/outgoing/aws/sts-answer.ts';
import { CredentialError } from '../../../../runtime/auth/outgoing/credential.ts';
import { readTokenResponse } from '../../../../runtime/auth/outgoing/token-response.ts';
import { anyCharacter } from '../../../support/any-character.ts';

const SECRET = 'eyJhbGciOiJub25lIn0.c2VjcmV0.U0lHTkFUVVJF';
const SEED = { seed: 11, numRuns: 2_000 };

const echo = fc.oneof(
  fc.constantFrom(SECRET, `${SECRET}\r\nX-Admin: 1`, `the token ${SECRET}`, [SECRET], { token: SECRET }),
  fc.constantFrom('invalid_grant', 'Bearer', 'N_A', 3600, null, undefined, true),
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.jsonValue(),
);

const answer = fc.oneof(
  fc
    .record(
      {
        access_token: echo,
        token_type: echo,
        issued_token_type: echo,
        expires_in: echo,
        error: echo,
        error_description: echo,
      },
      { requiredKeys: [] },
    )
    .map(members => JSON.stringify(members)),
  fc.constantFrom(SECRET, `"${SECRET}"`, `[${SECRET}`, `<p>${SECRET}</p>`, ''),
);

test('any answer of a token endpoint gives a token or an error', () => {
  fc.assert(
    fc.property(fc.constantFrom(200, 201, 302, 400, 401, 403, 500), answer, (status, body) => {
      try {
        const { accessToken, expiresIn } = readTokenResponse('at', status, body);
        expect(accessToken).toMatch(/^[\x21-\x7e]+$/);
        expect(expiresIn ?? 0).toBeGreaterThanOrEqual(0);
      } catch (error) {
        expect(error).toBeInstanceOf(CredentialError);
        const { message } = error as CredentialError;
        expect(message).not.toContain('U0lHTkFUVVJF');
        expect(message).toMatch(/^[\x20-\x7e]{1,200}$/);
      }
    }),
    SEED,
  );
});

const ELEMENTS = ['Credentials', 'AccessKeyId', 'SecretAccessKey', 'SessionToken', 'Expiration', 'Error', 'Code'];
const piece = fc.oneof(
  fc.constantFrom(...ELEMENTS).map(name => `<${name}>`),
  fc.constantFrom(...ELEMENTS).map(name => `</${name}>`),
  fc.constantFrom(SECRET, 'ASIAEXAMPLE000000000', '2026-01-01T00:00:00Z', '\r\n', '<!--', '-->', '<![CDATA[', '&lt;'),
);

test('any answer of AWS STS gives credentials or an error', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), pieces => {
      const xml = pieces.join('');
      const credentials = readCredentials(xml);
      if (credentials !== undefined) expect(credentials.sessionToken).toMatch(/^[\x21-\x7e]+$/);
      expect(readErrorCode(xml) ?? 'Code').toMatch(/^[A-Za-z]{3,64}$/);
    }),
    SEED,
  );
});
