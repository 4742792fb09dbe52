import { expect, test } from 'vitest';
import { gatewayConfig, judge, object } from '../../support/rule.ts';

const config = (obo: string) => object('MCPExternalAuthConfig', `{ type: obo, obo: ${obo} }`);
const strategy = (seconds: number) =>
  gatewayConfig(
    `{ outgoingAuth: { source: inline, default: { type: obo, obo: { tokenUrl: u, cacheSkewSeconds: ${seconds} } } } }`,
  );

test.each<[string, string[], string[]]>([
  ['a tenant and a positive cacheSkew', [config('{ tenantId: corp }'), strategy(0), strategy(30)], []],
  [
    'no tenant',
    [config('{ audience: a }')],
    ['LNT1010 error 4:20 obo needs tenantId: the token endpoint belongs to a tenant'],
  ],
  ['a negative cacheSkew', [strategy(-1)], ['LNT1013 error 7:105 expected 0 seconds or more, found -1']],
])('the rule oboSettings gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('oboSettings', ...objects)).toEqual(expected);
});
