/** A feature that no gateway could serve is an error at its place, and no bundle is built. */
import { expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import {
  aggregated,
  anonymous,
  authServer,
  backend,
  healthChecks,
  prefixed,
  redis,
  referred,
  renamed,
  secret,
  signIn,
  strategy,
  telemetry,
  telemetryConfig,
  withUpstream,
  written,
} from './specs.ts';

const OVERRIDE = '/spec/config/aggregation/tools/0/overrides/a/name';
const PREFIX = '/spec/config/aggregation/conflictResolutionConfig/prefixFormat';
const BACKEND = '/spec/config/backends/0';
const SIGN_IN = '/spec/config/incomingAuth/oidc';
const STRATEGY = '/spec/config/outgoingAuth/default';
const REDIS = '/spec/authServerConfig/storage/redis/sentinelConfig';
const TELEMETRY = '/spec/config/telemetry';
const OTEL = '/spec/openTelemetry';
const FAILURE = '/spec/config/operational/failureHandling';
const REFERENCE = '/spec/outgoingAuth/default/externalAuthConfigRef/name';
const AWS = 'region: eu-west-1, fallbackRoleArn: "arn:aws:iam::123456789012:role/x"';
const EXCHANGE = 'tokenUrl: https://id.example.com/token';
const OBO = `${EXCHANGE}, clientId: gw, clientSecretEnv: SECRET, scopes: [a]`;
const XAA = 'idpTokenUrl: https://id.example.com/token, targetTokenUrl: https://b.example.com/token';
const OIDC = 'issuer: https://auth.example.com';

/** Rows of: the name of the error, the spec, and each expected finding's code and place. */
const ROWS: readonly (readonly [string, string, ...string[]])[] = [
  ['a tool name with a space', renamed('my tool'), `LNT1047 ${OVERRIDE}`],
  ['a tool name with an invisible character', renamed('my\u200btool'), `LNT1047 ${OVERRIDE}`],
  ['a tool name of 200 characters', renamed('a'.repeat(200)), `LNT1047 ${OVERRIDE}`],
  ['a tool name that is too long with its prefix', renamed('a'.repeat(126)), `LNT1047 ${OVERRIDE}`],
  ['a prefix with a space', prefixed('{workload} '), `LNT1047 ${PREFIX}`],
  ['a prefix of 200 characters', prefixed('a'.repeat(200)), `LNT1047 ${PREFIX}`],
  ['an unknown placeholder in the prefix', prefixed('{backend}_'), `LNT1012 ${PREFIX}`],
  ['a placeholder with a capital letter', prefixed('{Workload}_'), `LNT1012 ${PREFIX}`],
  ['an unclosed placeholder', prefixed('{workload_'), `LNT1012 ${PREFIX}`],
  ['an empty placeholder', prefixed('{}_'), `LNT1012 ${PREFIX}`],
  [
    'an unknown placeholder where only prompts have prefixes',
    aggregated(
      '{ conflictResolution: priority, conflictResolutionConfig: { priorityOrder: [jira], prefixFormat: "{backend}" } }',
    ),
    `LNT1012 ${PREFIX}`,
  ],

  [
    'token_exchange of an upstream token without an authorization server',
    strategy(`{ type: token_exchange, tokenExchange: { ${EXCHANGE}, subjectProviderName: okta } }`),
    `LNT6006 ${STRATEGY}/tokenExchange/subjectProviderName`,
  ],
  [
    'aws_sts of an upstream token without an authorization server',
    strategy(`{ type: aws_sts, awsSts: { ${AWS}, subjectProviderName: okta } }`),
    `LNT6006 ${STRATEGY}/awsSts/subjectProviderName`,
  ],
  [
    'obo of an upstream token without an authorization server',
    strategy(`{ type: obo, obo: { ${OBO}, subjectTokenProviderName: okta } }`),
    `LNT6006 ${STRATEGY}/obo/subjectTokenProviderName`,
  ],
  [
    'a referenced token exchange of an upstream token without an authorization server',
    referred(`{ type: tokenExchange, tokenExchange: { ${EXCHANGE}, audience: x, subjectProviderName: okta } }`),
    `LNT6006 ${REFERENCE}`,
  ],
  [
    'a referenced aws_sts of an upstream token without an authorization server',
    referred(`{ type: awsSts, awsSts: { ${AWS}, subjectProviderName: okta } }`),
    `LNT6006 ${REFERENCE}`,
  ],

  ['a backend with an empty name', written(backend('')), `LNT1013 ${BACKEND}/name`],
  ['a backend name with a space and a slash', written(backend('a b/c')), `LNT1012 ${BACKEND}/name`],
  ['a backend named ".."', written(backend('..')), `LNT1012 ${BACKEND}/name`],
  ['a backend name of 129 characters', written(backend('a'.repeat(129))), `LNT1012 ${BACKEND}/name`],
  [
    'caBundlePath without type entry',
    written(backend('a', 'caBundlePath: /etc/lintel/ca-bundles/a/ca.crt')),
    `LNT1010 ${BACKEND}/caBundlePath`,
  ],

  ['an empty audience', signIn(`{ ${OIDC}, clientId: gw, audience: "" }`), `LNT1013 ${SIGN_IN}/audience`],
  ['a blank audience', signIn(`{ ${OIDC}, clientId: gw, audience: " " }`), `LNT1013 ${SIGN_IN}/audience`],
  ['an empty client id', signIn(`{ ${OIDC}, clientId: "", audience: a }`), `LNT1013 ${SIGN_IN}/clientId`],
  [
    'a token exchange with an empty audience and client id',
    strategy(`{ type: token_exchange, tokenExchange: { ${EXCHANGE}, audience: "", clientId: "" } }`),
    `LNT1013 ${STRATEGY}/tokenExchange/audience`,
    `LNT1013 ${STRATEGY}/tokenExchange/clientId`,
  ],
  [
    'a cross-app exchange with an empty audience',
    strategy(`{ type: xaa, xaa: { ${XAA}, targetAudience: "" } }`),
    `LNT1013 ${STRATEGY}/xaa/targetAudience`,
    `LNT6006 ${STRATEGY}/xaa/subjectProviderName`,
  ],
  [
    'an upstream with an empty client id',
    withUpstream('', ''),
    'LNT1013 /spec/authServerConfig/upstreamProviders/0/oidcConfig/clientId',
  ],

  [
    'a negative maxDataSize',
    anonymous('{ audit: { enabled: true, maxDataSize: -1 } }'),
    'LNT1013 /spec/config/audit/maxDataSize',
  ],
  [
    'a log file at the root of the file system',
    anonymous('{ audit: { enabled: true, logFile: /audit.jsonl } }'),
    'LNT1012 /spec/config/audit/logFile',
  ],

  [
    'a sentinel port 0',
    redis('sentinelConfig: { masterName: m, sentinelService: { name: s, port: 0 } }'),
    `LNT1013 ${REDIS}/sentinelService/port`,
  ],
  [
    'a sentinel port 70000',
    redis('sentinelConfig: { masterName: m, sentinelService: { name: s, port: 70000 } }'),
    `LNT1013 ${REDIS}/sentinelService/port`,
  ],
  [
    'a negative database number',
    redis('sentinelConfig: { masterName: m, db: -1, sentinelService: { name: s } }'),
    `LNT1013 ${REDIS}/db`,
  ],
  [
    'sentinels with empty names',
    redis('sentinelConfig: { masterName: "", sentinelService: { name: "" } }'),
    `LNT1013 ${REDIS}/masterName`,
    `LNT1013 ${REDIS}/sentinelService/name`,
  ],
  [
    'a sentinel without a port',
    redis('sentinelConfig: { masterName: m, sentinelAddrs: [a] }'),
    `LNT1012 ${REDIS}/sentinelAddrs/0`,
  ],

  [
    'an embedding service without a valid URL',
    anonymous('{ optimizer: { embeddingService: not a url } }'),
    'LNT6011 /spec/config/optimizer/embeddingService',
  ],
  [
    'an embedding service over ftp',
    anonymous('{ optimizer: { embeddingService: "ftp://e.example.com" } }'),
    'LNT6011 /spec/config/optimizer/embeddingService',
  ],
  [
    'a password in the URL of an embedding service',
    anonymous('{ optimizer: { embeddingService: "https://u:p@e.example.com" } }'),
    'LNT6011 /spec/config/optimizer/embeddingService',
  ],

  ['a collector without a valid URL', telemetry('endpoint: not a url'), `LNT6011 ${TELEMETRY}/endpoint`],
  ['a collector at port 0', telemetry('endpoint: "otel:0"'), `LNT6011 ${TELEMETRY}/endpoint`],
  [
    'a password in the URL of a collector',
    telemetry('endpoint: "https://u:p@otel:4318"'),
    `LNT6011 ${TELEMETRY}/endpoint`,
  ],
  ['a referenced collector without a valid URL', telemetryConfig('endpoint: not a url'), `LNT6011 ${OTEL}/endpoint`],
  ['a metrics port above 65535', telemetry('prometheusPort: 70000'), `LNT1013 ${TELEMETRY}/prometheusPort`],
  [
    'invalid environment variable names',
    telemetry('environmentVariables: ["A B", "", "1A", GOOD]'),
    `LNT1012 ${TELEMETRY}/environmentVariables/0`,
    `LNT1012 ${TELEMETRY}/environmentVariables/1`,
    `LNT1012 ${TELEMETRY}/environmentVariables/2`,
  ],
  [
    'a header from an invalid environment variable name',
    strategy('{ type: header_injection, headerInjection: { headerName: X-Key, headerValueEnv: "A B" } }'),
    `LNT1012 ${STRATEGY}/headerInjection/headerValueEnv`,
  ],
  [
    'a client secret from an invalid environment variable name',
    strategy(`{ type: token_exchange, tokenExchange: { ${EXCHANGE}, clientId: gw, clientSecretEnv: "1A" } }`),
    `LNT1012 ${STRATEGY}/tokenExchange/clientSecretEnv`,
  ],
  [
    'an introspection secret from an invalid environment variable name',
    signIn(
      `{ ${OIDC}, clientId: gw, audience: a, introspectionUrl: https://auth.example.com/i, clientSecretEnv: A-B }`,
    ),
    `LNT1012 ${SIGN_IN}/clientSecretEnv`,
  ],
  [
    'a literal credential for the collector',
    telemetry('headers: { Authorization: Bearer abc }'),
    `LNT6001 ${TELEMETRY}/headers`,
  ],
  ['a literal key for the collector', telemetry('headers: { x-api-key: abc }'), `LNT6001 ${TELEMETRY}/headers`],
  [
    'a referenced literal credential for the collector',
    telemetryConfig('headers: { authorization: Bearer abc }'),
    `LNT6001 ${OTEL}/headers`,
  ],
  ['an invalid header name for the collector', telemetry('headers: { "a b": c }'), `LNT6013 ${TELEMETRY}/headers/a b`],
  [
    'an invalid sensitive header name for the collector',
    telemetryConfig('sensitiveHeaders: [{ name: a b, secretKeyRef: { name: s, key: k } }]'),
    `LNT6013 ${OTEL}/sensitiveHeaders/0/name`,
  ],

  [
    'a baseline scope that no upstream is asked for',
    authServer('baselineClientScopes: [tickets]'),
    'LNT4015 /spec/authServerConfig/baselineClientScopes/0',
  ],
  [
    'a short HMAC secret',
    authServer('hmacSecretRefs: [{ name: s, key: k }]', secret('short')),
    'LNT4017 /spec/authServerConfig/hmacSecretRefs/0',
  ],

  [
    'a health check timeout equal to the interval',
    healthChecks('healthCheckInterval: 5s, healthCheckTimeout: 5s'),
    `LNT1022 ${FAILURE}/healthCheckTimeout`,
  ],
  [
    'a health check timeout above the default interval',
    healthChecks('healthCheckTimeout: 60s'),
    `LNT1022 ${FAILURE}/healthCheckTimeout`,
  ],
  [
    'an interval below the default health check timeout',
    healthChecks('healthCheckInterval: 5s'),
    `LNT1022 ${FAILURE}/healthCheckInterval`,
  ],
];

test.each(ROWS)('lintel build gives an error and no bundle for %s', (_, text, ...expected) => {
  const { gateways, findings } = compile(readTexts([new SourceText('a.yaml', text)]), {
    purpose: 'build',
    origin: { compilerVersion: '0.0.0', sourceRevision: null },
  });
  const errors = findings.diagnostics.filter(({ severity, code }) => severity === 'error' && code !== 'LNT1009');
  expect(errors.map(({ code, pointer }) => `${code} ${pointer}`).sort()).toEqual([...expected].sort());
  expect(gateways.map(({ bundle }) => bundle)).toEqual([null]);
});
