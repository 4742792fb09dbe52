import { expect, test } from 'vitest';
import { judgeConfig, provider } from '../../../support/registry-rule.ts';

const FINDING = 'LNT8008 warning 12:67 the audience is the one of the cluster API, for which every pod has a token';

test.each([
  ['registry', []],
  ['https://kubernetes.example.com', []],
  ['https://kubernetes.default.svc', [FINDING]],
  ['https://kubernetes.default.svc.cluster.local', [FINDING]],
  ['kubernetes.default.svc', [FINDING]],
  ['https://kubernetes.default.svc:443/', [FINDING]],
])('the rule audienceOfTheCluster gives the expected findings for: %s', (audience, expected) => {
  expect(
    judgeConfig('audienceOfTheCluster', provider(`issuerUrl: https://a.example.com, audience: "${audience}"`)),
  ).toEqual(expected);
});
