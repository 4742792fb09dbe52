import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

const name = 'c'.repeat(48);

test.each<[string, string[], string[]]>([
  [
    'a ConfigMap name of 48 characters',
    [
      object(
        'MCPOIDCConfig',
        `{ type: inline, inline: { issuer: https://a.example.com, caBundleRef: { configMapRef: { name: ${name}, key: k } } } }`,
      ),
      object('MCPTelemetryConfig', `{ openTelemetry: { caBundleRef: { configMapRef: { name: ${name}, key: k } } } }`),
    ],
    [],
  ],
  [
    'a ConfigMap name of 49 characters',
    [
      object(
        'MCPOIDCConfig',
        `{ type: inline, inline: { issuer: https://a.example.com, caBundleRef: { configMapRef: { name: ${name}c, key: k } } } }`,
      ),
      object('MCPTelemetryConfig', `{ openTelemetry: { caBundleRef: { configMapRef: { name: ${name}c, key: k } } } }`),
    ],
    [
      'LNT1013 error 4:101 the name of the ConfigMap has 49 characters, at most 48 are possible here',
      'LNT1013 error 9:63 the name of the ConfigMap has 49 characters, at most 48 are possible here',
    ],
  ],
])('the rule caBundleNames gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('caBundleNames', ...objects)).toEqual(expected);
});
