import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

const inline = (fields: string) => object('MCPOIDCConfig', `{ type: inline, inline: { ${fields} } }`);

test.each<[string, string[], string[]]>([
  [
    'https URLs, and http with insecureAllowHTTP',
    [
      inline('issuer: https://id.example.com, jwksUrl: https://id.example.com/keys'),
      inline('issuer: http://id.example.com, insecureAllowHTTP: true'),
      inline("issuer: https://id.example.com, jwksUrl: ''"),
      object('MCPOIDCConfig', '{ type: kubernetesServiceAccount, kubernetesServiceAccount: {} }'),
    ],
    [],
  ],
  [
    'http URLs, on localhost as well',
    [inline('issuer: http://localhost:8080, jwksUrl: http://id.example.com/keys')],
    ['LNT4004 error 4:41 issuer is plain http', 'LNT4004 error 4:73 jwksUrl is plain http'],
  ],
  [
    'invalid issuer URLs',
    [inline('issuer: id.example.com'), inline('issuer: ftp://id.example.com'), inline("issuer: ''")],
    [
      'LNT6011 error 4:41 issuer is not a complete http or https URL',
      'LNT6011 error 9:41 issuer is not a complete http or https URL',
      'LNT1010 warning 14:41 the issuer is empty',
    ],
  ],
  [
    'introspection URLs and issuers of service account tokens',
    [
      inline('issuer: https://id.example.com, introspectionUrl: http://id.example.com/introspect'),
      object(
        'MCPOIDCConfig',
        '{ type: kubernetesServiceAccount, kubernetesServiceAccount: { jwksUrl: http://kubernetes.default.svc/keys } }',
      ),
    ],
    ['LNT4004 error 4:83 introspectionUrl is plain http', 'LNT4004 error 9:78 jwksUrl is plain http'],
  ],
])('the rule oidcConfigUrls gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('oidcConfigUrls', ...objects)).toEqual(expected);
});

test('the rule oidcConfigUrls checks an issuer in spec.config', () => {
  const gateway = (oidc: string) =>
    object(
      'VirtualMCPServer',
      `{ groupRef: { name: tools }, config: { incomingAuth: { type: oidc, oidc: { audience: mcp, clientId: gw, ${oidc} } } } }`,
    );
  expect(judge('oidcConfigUrls', gateway('issuer: http://id.example.com, insecureAllowHttp: true'))).toEqual([]);
  expect(judge('oidcConfigUrls', gateway('issuer: http://id.example.com'))).toEqual([
    'LNT4004 error 4:119 issuer is plain http',
  ]);
});
