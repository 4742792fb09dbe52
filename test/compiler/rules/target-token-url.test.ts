import { expect, test } from 'vitest';
import { gatewayConfig, judge, object } from '../../support/rule.ts';

const strategy = (text: string) => gatewayConfig(`{ outgoingAuth: { source: inline, default: ${text} } }`);
const xaa = (fields: string) =>
  `{ type: xaa, xaa: { idpTokenUrl: https://a.example.com, targetAudience: a, ${fields} } }`;

test.each<[string, string[], string[]]>([
  [
    'https URLs, and http with the setting that allows it',
    [
      strategy(xaa('targetTokenUrl: https://b.example.com')),
      object('MCPExternalAuthConfig', xaa('targetTokenUrl: http://b.example.com, insecureTargetTokenUrl: true')),
    ],
    [],
  ],
  [
    'plain http, and an invalid URL',
    [
      strategy(xaa('targetTokenUrl: http://b.example.com')),
      object('MCPExternalAuthConfig', xaa('targetTokenUrl: b.example.com')),
    ],
    [
      'LNT6011 error 7:145 targetTokenUrl must be https: tokens would cross the network unencrypted',
      'LNT6011 error 12:98 targetTokenUrl is not a complete URL',
    ],
  ],
])('the rule targetTokenUrl gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('targetTokenUrl', ...objects)).toEqual(expected);
});
