import { expect, test } from 'vitest';
import { judgeConfig, provider } from '../../../support/registry-rule.ts';

const REFUSED = 'issuerUrl is at a private address, and connections to private addresses are refused';
const DOUBTFUL =
  'issuerUrl has a name that usually leads to a private address, and connections to private addresses are refused';

test.each<[fields: string, expected: string[]]>([
  ['issuerUrl: https://a.example.com', []],
  ['issuerUrl: "https://10.0.0.1"', [`LNT8013 error 12:34 ${REFUSED}`]],
  ['issuerUrl: "https://[fd00::1]"', [`LNT8013 error 12:34 ${REFUSED}`]],
  ['issuerUrl: "http://localhost:8080"', [`LNT8013 error 12:34 ${REFUSED}`]],
  ['issuerUrl: https://dex.auth.svc', [`LNT8013 warning 12:34 ${DOUBTFUL}`]],
  ['issuerUrl: https://dex.auth.svc.cluster.local.', [`LNT8013 error 12:34 ${REFUSED}`]],
  ['issuerUrl: https://login.corp.internal', [`LNT8013 warning 12:34 ${DOUBTFUL}`]],
  ['issuerUrl: https://dex', [`LNT8013 warning 12:34 ${DOUBTFUL}`]],
  ['issuerUrl: https://dex.auth.svc, allowPrivateIP: true', []],
  // The server only connects to the issuer for discovery.
  ['issuerUrl: https://dex.auth.svc, jwksUrl: https://a.example.com/keys', []],
  ['issuerUrl: https://accounts.google.com, jwksUrl: "https://10.0.0.1/keys", allowPrivateIP: true', []],
  [
    'issuerUrl: "https://169.254.169.254"',
    ['LNT6010 error 12:34 issuerUrl points to an address that is never contacted'],
  ],
  [
    'issuerUrl: https://metadata.google.internal, allowPrivateIP: true',
    ['LNT6010 error 12:34 issuerUrl points to an address that is never contacted'],
  ],
  [
    'issuerUrl: https://corp.okta.com, allowPrivateIP: true',
    ['LNT8006 warning 12:73 allowPrivateIP is true, and the provider is a public one'],
  ],
  [
    'issuerUrl: https://a.example.com, allowPrivateIP: true',
    ['LNT8006 hint 12:73 allowPrivateIP is true, and nothing says that the provider is at a private address'],
  ],
])('the rule providerAddresses gives the expected findings for: %s', (fields, expected) => {
  expect(judgeConfig('providerAddresses', provider(`${fields}, audience: r`))).toEqual(expected);
});
