import { expect, test } from 'vitest';
import { oidcConfigUrls } from '../../../compiler/rules/oidc-config-urls.ts';
import { judge, object } from '../../support/rule.ts';

const inline = (fields: string) => object('MCPOIDCConfig', `{ type: inline, inline: { ${fields} } }`);

test.each<[string, string[], string[]]>([
  [
    'https, or http on purpose',
    [
      inline('issuer: https://id.example.com, jwksUrl: https://id.example.com/keys'),
      inline('issuer: http://id.example.com, insecureAllowHTTP: true'),
      inline("issuer: https://id.example.com, jwksUrl: ''"),
      object('MCPOIDCConfig', '{ type: kubernetesServiceAccount, kubernetesServiceAccount: {} }'),
    ],
    [],
  ],
  [
    'plain http, also on this machine',
    [inline('issuer: http://localhost:8080, jwksUrl: http://id.example.com/keys')],
    ['LNT4004 error 4:41 issuer is plain http', 'LNT4004 error 4:73 jwksUrl is plain http'],
  ],
  [
    'no URL',
    [inline('issuer: id.example.com'), inline('issuer: ftp://id.example.com'), inline("issuer: ''")],
    [
      'LNT6011 error 4:41 issuer is not a complete http or https URL',
      'LNT6011 error 9:41 issuer is not a complete http or https URL',
      'LNT1010 warning 14:41 the issuer is empty',
    ],
  ],
])('%s', (_, objects, expected) => {
  expect(judge(oidcConfigUrls, ...objects)).toEqual(expected);
});
