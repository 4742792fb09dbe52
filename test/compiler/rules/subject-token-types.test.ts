import { expect, test } from 'vitest';
import { gatewayConfig, judge } from '../../support/rule.ts';

const strategy = (type: string) =>
  gatewayConfig(
    `{ outgoingAuth: { source: inline, default: { type: token_exchange, tokenExchange: { tokenUrl: u, subjectTokenType: "${type}" } } } }`,
  );

test.each<[string, string[]]>([
  ['', []],
  ['jwt', []],
  ['urn:ietf:params:oauth:token-type:saml2', []],
  ['JWT', ['LNT1012 error 7:126 expected access_token, id_token, jwt or a URN, found "JWT"']],
])('the rule subjectTokenTypes gives the expected findings for the type %j', (type, expected) => {
  expect(judge('subjectTokenTypes', strategy(type))).toEqual(expected);
});
