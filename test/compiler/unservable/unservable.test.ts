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

/** The error, the spec, and the findings: code and place. */
const ROWS: readonly (readonly [string, string, ...string[]])[] = [
  ['a space in a new name', renamed('my tool'), `LNT1047 ${OVERRIDE}`],
  ['an invisible character in a new name', renamed('my\u200btool'), `LNT1047 ${OVERRIDE}`],
  ['a new name of 200 characters', renamed('a'.repeat(200)), `LNT1047 ${OVERRIDE}`],
  ['a new name that is too long behind the prefix', renamed('a'.repeat(126)), `LNT1047 ${OVERRIDE}`],
  ['a space in the prefix', prefixed('{workload} '), `LNT1047 ${PREFIX}`],
  ['a prefix of 200 characters', prefixed('a'.repeat(200)), `LNT1047 ${PREFIX}`],
  ['another placeholder', prefixed('{backend}_'), `LNT1012 ${PREFIX}`],
  ['a placeholder with a capital', prefixed('{Workload}_'), `LNT1012 ${PREFIX}`],
  ['a placeholder that is not closed', prefixed('{workload_'), `LNT1012 ${PREFIX}`],
  ['a placeholder without a name', prefixed('{}_'), `LNT1012 ${PREFIX}`],
  [
    'another placeholder for prompts alone',
    aggregated(
      '{ conflictResolution: priority, conflictResolutionConfig: { priorityOrder: [jira], prefixFormat: "{backend}" } }',
    ),
    `LNT1012 ${PREFIX}`,
  ],

  [
    'token_exchange of an upstream without a server',
    strategy(`{ type: token_exchange, tokenExchange: { ${EXCHANGE}, subjectProviderName: okta } }`),
    `LNT6006 ${STRATEGY}/tokenExchange/subjectProviderName`,
  ],
  [
    'aws_sts of an upstream without a server',
    strategy(`{ type: aws_sts, awsSts: { ${AWS}, subjectProviderName: okta } }`),
    `LNT6006 ${STRATEGY}/awsSts/subjectProviderName`,
  ],
  [
    'obo of an upstream without a server',
    strategy(`{ type: obo, obo: { ${OBO}, subjectTokenProviderName: okta } }`),
    `LNT6006 ${STRATEGY}/obo/subjectTokenProviderName`,
  ],
  [
    'a referred exchange of an upstream without a server',
    referred(`{ type: tokenExchange, tokenExchange: { ${EXCHANGE}, audience: x, subjectProviderName: okta } }`),
    `LNT6006 ${REFERENCE}`,
  ],
  [
    'a referred aws_sts of an upstream without a server',
    referred(`{ type: awsSts, awsSts: { ${AWS}, subjectProviderName: okta } }`),
    `LNT6006 ${REFERENCE}`,
  ],

  ['a backend without a name', written(backend('')), `LNT1013 ${BACKEND}/name`],
  ['a backend with a space and a slash', written(backend('a b/c')), `LNT1012 ${BACKEND}/name`],
  ['a backend named ..', written(backend('..')), `LNT1012 ${BACKEND}/name`],
  ['a backend with a name of 129 characters', written(backend('a'.repeat(129))), `LNT1012 ${BACKEND}/name`],
  [
    'caBundlePath without type entry',
    written(backend('a', 'caBundlePath: /etc/lintel/ca-bundles/a/ca.crt')),
    `LNT1010 ${BACKEND}/caBundlePath`,
  ],

  ['an empty audience', signIn(`{ ${OIDC}, clientId: gw, audience: "" }`), `LNT1013 ${SIGN_IN}/audience`],
  ['a blank audience', signIn(`{ ${OIDC}, clientId: gw, audience: " " }`), `LNT1013 ${SIGN_IN}/audience`],
  ['an empty client', signIn(`{ ${OIDC}, clientId: "", audience: a }`), `LNT1013 ${SIGN_IN}/clientId`],
  [
    'an exchange for an empty audience by an empty client',
    strategy(`{ type: token_exchange, tokenExchange: { ${EXCHANGE}, audience: "", clientId: "" } }`),
    `LNT1013 ${STRATEGY}/tokenExchange/audience`,
    `LNT1013 ${STRATEGY}/tokenExchange/clientId`,
  ],
  [
    'an assertion for an empty audience',
    strategy(`{ type: xaa, xaa: { ${XAA}, targetAudience: "" } }`),
    `LNT1013 ${STRATEGY}/xaa/targetAudience`,
    `LNT6006 ${STRATEGY}/xaa/subjectProviderName`,
  ],
  [
    'an upstream with an empty client',
    withUpstream('', ''),
    'LNT1013 /spec/authServerConfig/upstreamProviders/0/oidcConfig/clientId',
  ],

  [
    'maxDataSize below zero',
    anonymous('{ audit: { enabled: true, maxDataSize: -1 } }'),
    'LNT1013 /spec/config/audit/maxDataSize',
  ],
  [
    'an audit log without a folder of its own',
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
    'a database -1',
    redis('sentinelConfig: { masterName: m, db: -1, sentinelService: { name: s } }'),
    `LNT1013 ${REDIS}/db`,
  ],
  [
    'sentinels without names',
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
    'an embedding service that is no URL',
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

  ['a collector that is no URL', telemetry('endpoint: not a url'), `LNT6011 ${TELEMETRY}/endpoint`],
  ['a collector at port 0', telemetry('endpoint: "otel:0"'), `LNT6011 ${TELEMETRY}/endpoint`],
  [
    'a password in the URL of a collector',
    telemetry('endpoint: "https://u:p@otel:4318"'),
    `LNT6011 ${TELEMETRY}/endpoint`,
  ],
  ['a referred collector that is no URL', telemetryConfig('endpoint: not a url'), `LNT6011 ${OTEL}/endpoint`],
  ['a port for metrics beyond all ports', telemetry('prometheusPort: 70000'), `LNT1013 ${TELEMETRY}/prometheusPort`],
  [
    'names that no variable has',
    telemetry('environmentVariables: ["A B", "", "1A", GOOD]'),
    `LNT1012 ${TELEMETRY}/environmentVariables/0`,
    `LNT1012 ${TELEMETRY}/environmentVariables/1`,
    `LNT1012 ${TELEMETRY}/environmentVariables/2`,
  ],
  [
    'a header from a name that no variable has',
    strategy('{ type: header_injection, headerInjection: { headerName: X-Key, headerValueEnv: "A B" } }'),
    `LNT1012 ${STRATEGY}/headerInjection/headerValueEnv`,
  ],
  [
    'a secret from a name that no variable has',
    strategy(`{ type: token_exchange, tokenExchange: { ${EXCHANGE}, clientId: gw, clientSecretEnv: "1A" } }`),
    `LNT1012 ${STRATEGY}/tokenExchange/clientSecretEnv`,
  ],
  [
    'a secret of the sign-in from a name that no variable has',
    signIn(
      `{ ${OIDC}, clientId: gw, audience: a, introspectionUrl: https://auth.example.com/i, clientSecretEnv: A-B }`,
    ),
    `LNT1012 ${SIGN_IN}/clientSecretEnv`,
  ],
  [
    'a credential for the collector in the clear',
    telemetry('headers: { Authorization: Bearer abc }'),
    `LNT6001 ${TELEMETRY}/headers`,
  ],
  ['a key for the collector in the clear', telemetry('headers: { x-api-key: abc }'), `LNT6001 ${TELEMETRY}/headers`],
  [
    'a referred credential for the collector in the clear',
    telemetryConfig('headers: { authorization: Bearer abc }'),
    `LNT6001 ${OTEL}/headers`,
  ],
  ['a header for the collector that is none', telemetry('headers: { "a b": c }'), `LNT6013 ${TELEMETRY}/headers/a b`],
  [
    'a sensitive header for the collector that is none',
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
    'health checks as long as their interval',
    healthChecks('healthCheckInterval: 5s, healthCheckTimeout: 5s'),
    `LNT1022 ${FAILURE}/healthCheckTimeout`,
  ],
  [
    'health checks longer than the usual interval',
    healthChecks('healthCheckTimeout: 60s'),
    `LNT1022 ${FAILURE}/healthCheckTimeout`,
  ],
  [
    'an interval below the usual health check',
    healthChecks('healthCheckInterval: 5s'),
    `LNT1022 ${FAILURE}/healthCheckInterval`,
  ],
];

test.each(ROWS)('%s', (_, text, ...expected) => {
  const { gateways, findings } = compile(readTexts([new SourceText('a.yaml', text)]), {
    purpose: 'build',
    origin: { compilerVersion: '0.0.0', sourceRevision: null },
  });
  const errors = findings.diagnostics.filter(({ severity, code }) => severity === 'error' && code !== 'LNT1009');
  expect(errors.map(({ code, pointer }) => `${code} ${pointer}`).sort()).toEqual([...expected].sort());
  expect(gateways.map(({ bundle }) => bundle)).toEqual([null]);
});
