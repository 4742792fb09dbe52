import { expect, test } from 'vitest';
import { judgeConfig, provider } from '../../../support/registry-rule.ts';

test.each([
  ['issuerUrl: https://a.example.com', []],
  // Tokens of a cluster whose keys are published elsewhere.
  ['issuerUrl: https://kubernetes.default.svc, jwksUrl: https://a.example.com/keys', []],
  [
    'issuerUrl: https://kubernetes.default.svc',
    [
      'LNT8014 warning 12:17 jwksUrl is missing for the API of the cluster: the request for discovery would carry no token',
      'LNT8014 warning 12:17 caCertPath is missing for the API of the cluster: its certificate is signed by the cluster',
      'LNT8014 warning 12:17 authTokenFile is missing for the API of the cluster: it gives its keys to known callers only',
    ],
  ],
  ['issuerUrl: x, jwksUrl: https://kubernetes.default.svc.cluster.local/keys, caCertPath: /ca, authTokenFile: /t', []],
])('the rule incompleteClusterProvider gives the expected findings for: %s', (fields, expected) => {
  expect(judgeConfig('incompleteClusterProvider', provider(`${fields}, audience: r`))).toEqual(expected);
});
