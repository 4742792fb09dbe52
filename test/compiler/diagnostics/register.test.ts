import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AREAS, areaOf, CODES, type DiagnosticCode, FIXED_REASONS } from '../../../compiler/diagnostics/codes.ts';
import { codesPage } from '../../../compiler/diagnostics/codes-page.ts';
import { diagnostic } from '../../../compiler/diagnostics/diagnostic.ts';

const entries = Object.entries(CODES) as [DiagnosticCode, (typeof CODES)[DiagnosticCode]][];
const start = { line: 1, column: 1, offset: 0 };
const place = { file: 'a.yaml', pointer: '', range: { start, end: start } };

test.each(entries)('%s is well formed', (code, entry) => {
  expect(code).toMatch(/^LNT[1-9]\d{3}$/);
  expect(Object.keys(AREAS)).toContain(code.charAt(3));
  const members = Object.keys(entry).filter(
    member => !['needsLock', 'needsPods', 'bad', 'good', 'fixed'].includes(member),
  );
  expect(members.sort()).toEqual(['fix', 'meaning', 'name', 'severity', 'since']);
  expect(entry.name).toMatch(/^[a-z]+(-[a-z]+)*$/);
  expect(['error', 'warning', 'hint']).toContain(entry.severity);
  if (entry.fixed !== undefined) expect(FIXED_REASONS).toHaveProperty(entry.fixed);
  expect(entry.since).toMatch(/^\d+\.\d+\.\d+$/);
  expect(entry.meaning).toMatch(/^[A-Z].*\.$/);
  expect(entry.fix).toMatch(/^[A-Z].*[^.]$/);
});

test('names are unique and codes sorted', () => {
  expect(new Set(entries.map(([, { name }]) => name)).size).toBe(entries.length);
  expect(entries.map(([code]) => code)).toEqual(entries.map(([code]) => code).sort());
});

test('codes, names and severities are permanent', () => {
  expect(entries.map(([code, { name, severity }]) => `${code} ${name} ${severity}`)).toEqual([
    'LNT1001 broken-syntax error',
    'LNT1002 duplicate-key error',
    'LNT1003 unknown-field error',
    'LNT1004 wrong-type error',
    'LNT1005 cel-rule-failed error',
    'LNT1006 deprecated-api-version warning',
    'LNT1007 unknown-kind error',
    'LNT1008 field-ignored warning',
    'LNT1009 not-supported-yet error',
    'LNT1010 missing-field error',
    'LNT1011 not-in-enum error',
    'LNT1012 pattern-mismatch error',
    'LNT1013 out-of-bounds error',
    'LNT1014 invalid-format error',
    'LNT1015 duplicate-item error',
    'LNT1016 deprecated-field warning',
    'LNT1017 input-too-large error',
    'LNT1018 unreadable-input error',
    'LNT1019 invalid-metadata error',
    'LNT1020 rule-not-checked warning',
    'LNT1021 fields-exclude-each-other error',
    'LNT1022 durations-out-of-order warning',
    'LNT1023 shared-service-name warning',
    'LNT1024 two-readings warning',
    'LNT1025 null-field warning',
    'LNT1030 unknown-suppressed-code warning',
    'LNT1031 malformed-suppression warning',
    'LNT1032 expired-suppression warning',
    'LNT1033 unused-suppression warning',
    'LNT1034 fixed-code warning',
    'LNT1035 stale-baseline warning',
    'LNT1036 unpinned-profile hint',
    'LNT1040 escape-hatch hint',
    'LNT1045 invalid-matcher error',
    'LNT1046 invalid-pod-template error',
    'LNT1047 unusual-tool-name warning',
    'LNT1050 catalog-edited error',
    'LNT1051 catalog-version error',
    'LNT1052 catalog-misnamed error',
    'LNT1055 refused-pod error',
    'LNT1060 namespace-not-allowed error',
    'LNT1061 not-compiled error',
    'LNT1062 unusable-repository error',
    'LNT1063 unusable-git-ref error',
    'LNT1070 program-throws error',
    'LNT1071 program-syntax error',
    'LNT1072 type-error error',
    'LNT1073 module-not-found error',
    'LNT1074 package-not-installed error',
    'LNT1075 types-not-checked warning',
    'LNT1076 program-does-not-end error',
    'LNT1077 program-exits error',
    'LNT1078 program-gives-nothing error',
    'LNT1079 program-prints hint',
    'LNT1080 program-writes-files error',
    'LNT1081 program-uses-network error',
    'LNT1082 program-starts-process error',
    'LNT1083 program-reads-outside error',
    'LNT1084 several-copies error',
    'LNT1085 program-out-of-memory error',
    'LNT1086 invalid-construct error',
    'LNT1087 circular-constructs error',
    'LNT1088 value-without-json error',
    'LNT1089 unhandled-rejection error',
    'LNT1090 depends-on-chance warning',
    'LNT1091 variable-not-passed hint',
    'LNT1092 program-not-run error',
    'LNT1093 program-dies error',
    'LNT2001 unresolved-reference error',
    'LNT2003 unsupported-target error',
    'LNT2004 unverifiable-reference hint',
    'LNT2005 missing-key error',
    'LNT2006 duplicate-object error',
    'LNT2007 no-backends error',
    'LNT2008 duplicate-backend error',
    'LNT2009 shared-object-name error',
    'LNT2010 config-map-outside-sources error',
    'LNT2011 unusable-authorities error',
    'LNT2012 idle-authority warning',
    'LNT3001 tool-not-in-catalog error',
    'LNT3002 name-collision error',
    'LNT3003 hidden-winner warning',
    'LNT3005 shadowed-resource warning',
    'LNT3006 reserved-tool-name error',
    'LNT3007 idle-tool-setting error',
    'LNT3008 hidden-yet-reachable warning',
    'LNT3010 priority-order-missing error',
    'LNT3011 manual-overrides-missing error',
    'LNT3012 unknown-workload error',
    'LNT3013 duplicate-workload error',
    'LNT3014 visibility-entry-missing error',
    'LNT3015 equal-new-names error',
    'LNT3020 keyword-search-only hint',
    'LNT3021 composite-named-like-tool error',
    'LNT3022 name-too-long warning',
    'LNT3023 invalid-name-characters warning',
    'LNT3024 tool-budget error',
    'LNT3025 token-budget error',
    'LNT3026 invalid-tool warning',
    'LNT3027 withheld-tool warning',
    'LNT3028 task-only-tool hint',
    'LNT3029 alike-tools hint',
    'LNT4001 anonymous-writes warning',
    'LNT4002 issuer-mismatch error',
    'LNT4003 audience-not-issued error',
    'LNT4004 insecure-auth-url error',
    'LNT4005 no-authorization hint',
    'LNT4006 authorization-of-anonymous warning',
    'LNT4007 shared-audience warning',
    'LNT4010 auth-server-without-oidc error',
    'LNT4011 unknown-primary-upstream error',
    'LNT4012 primary-upstream-by-default hint',
    'LNT4013 reserved-parameter error',
    'LNT4014 repeated-issuer error',
    'LNT4015 unsupported-scope error',
    'LNT4016 sessions-not-shared warning',
    'LNT4017 short-hmac-secret error',
    'LNT4018 unusable-signing-key warning',
    'LNT4019 invalid-identity-path error',
    'LNT4020 unusable-confidential-redirect error',
    'LNT4021 secrets-over-loopback-http error',
    'LNT4022 several-upstreams error',
    'LNT4023 synthetic-identity hint',
    'LNT4024 throw-away-keys hint',
    'LNT4025 auth-server-not-shared warning',
    'LNT4026 overruled-sign-in warning',
    'LNT4030 unverified-redis warning',
    'LNT5001 cedar-syntax error',
    'LNT5002 unguarded-attribute error',
    'LNT5003 policy-names-unknown-tool error',
    'LNT5004 policy-without-effect warning',
    'LNT5005 permit-moves-with-priority warning',
    'LNT5006 no-policies error',
    'LNT5007 destructive-for-everyone warning',
    'LNT5008 composite-escalation warning',
    'LNT5009 unknown-policy-word error',
    'LNT5010 unknown-attribute error',
    'LNT5011 policy-type-error error',
    'LNT5012 confusable-policy-text warning',
    'LNT5013 expectation-broken error',
    'LNT5014 malformed-expectation error',
    'LNT5015 undecided-expectation warning',
    'LNT5016 nothing-offered warning',
    'LNT6001 literal-secret warning',
    'LNT6002 restricted-header error',
    'LNT6003 backend-without-strategy warning',
    'LNT6004 backend-without-credentials hint',
    'LNT6005 exchange-for-itself warning',
    'LNT6006 unknown-upstream error',
    'LNT6010 blocked-address error',
    'LNT6011 invalid-url error',
    'LNT6012 partial-failure-default hint',
    'LNT6013 invalid-header error',
    'LNT6014 ambiguous-upstream error',
    'LNT6015 header-collision error',
    'LNT6016 token-not-sent warning',
    'LNT6017 audience-of-two-backends warning',
    'LNT6018 shared-secret warning',
    'LNT6019 no-token-to-trade error',
    'LNT6020 loopback-in-pod warning',
    'LNT6021 program-in-pod error',
    'LNT6022 setting-of-a-proxy error',
    'LNT7001 duplicate-step error',
    'LNT7002 unknown-dependency error',
    'LNT7003 dependency-cycle error',
    'LNT7004 template-syntax error',
    'LNT7005 template-undeclared-step error',
    'LNT7006 output-field-absent error',
    'LNT7007 arguments-against-schema error',
    'LNT7008 default-results-missing error',
    'LNT7009 annotations-too-safe error',
    'LNT7010 unanswered-question hint',
    'LNT7011 timeout-beyond-workflow warning',
    'LNT7012 ambiguous-step error',
    'LNT7013 invalid-tool-reference error',
    'LNT7014 invalid-item-variable error',
    'LNT7015 retry-without-count error',
    'LNT7016 invalid-parameters error',
    'LNT7017 invalid-output error',
    'LNT7018 duplicate-composite-tool error',
    'LNT7019 nested-template warning',
    'LNT7020 invalid-json-schema error',
    'LNT7021 unknown-schema-keyword warning',
    'LNT7022 unresolved-schema-reference error',
    'LNT7023 slow-pattern warning',
    'LNT7024 unusable-form error',
    'LNT7025 default-does-not-fit warning',
    'LNT7026 unbounded-list hint',
    'LNT7027 timeouts-add-up warning',
    'LNT7028 condition-never-decides error',
    'LNT7029 collection-is-no-list error',
    'LNT7030 workflow-test-failed error',
    'LNT7031 unknown-name-in-test error',
    'LNT7032 value-does-not-fit-in-test error',
    'LNT7033 answer-missing-in-test error',
    'LNT7034 workflow-not-covered error',
    'LNT8001 public-path-too-wide error',
    'LNT8002 everybody-may-everything warning',
    'LNT8003 claims-of-nobody warning',
    'LNT8004 dead-claims warning',
    'LNT8005 repeated-provider warning',
    'LNT8006 private-access-unneeded warning',
    'LNT8007 insecure-registry-url error',
    'LNT8008 audience-of-the-cluster warning',
    'LNT8009 malformed-export-claims error',
    'LNT8010 resource-url-not-served warning',
    'LNT8011 ambiguous-public-path error',
    'LNT8012 public-path-without-effect warning',
    'LNT8013 private-provider-refused error',
    'LNT8014 incomplete-cluster-provider warning',
    'LNT8015 unused-source warning',
    'LNT8016 source-needs-database error',
    'LNT8017 incomplete-export warning',
    'LNT8018 impossible-name-pattern error',
    'LNT8019 included-and-excluded warning',
    'LNT8020 entries-not-read error',
    'LNT8021 no-file-of-entries error',
    'LNT8022 malformed-entry error',
    'LNT8023 repeated-entry error',
    'LNT8024 unknown-entry-schema error',
    'LNT8025 filter-takes-nothing warning',
    'LNT8026 export-for-others warning',
    'LNT8027 unlistable-export warning',
    'LNT8028 nothing-exported warning',
    'LNT8029 repeated-export warning',
    'LNT8030 seen-by-nobody warning',
    'LNT8031 newer-entry-schema warning',
  ]);
});

test('the register cannot be changed', () => {
  expect(Object.isFrozen(CODES)).toBe(true);
});

test('the area of a code is its first digit', () => {
  expect(['LNT1001', 'LNT2001', 'LNT3010', 'LNT6010'].map(code => areaOf(code as DiagnosticCode))).toEqual([
    'input',
    'references',
    'aggregation',
    'outgoing connections',
  ]);
});

test('CODES.md is what the register says', () => {
  expect(readFileSync('compiler/diagnostics/CODES.md', 'utf8')).toBe(codesPage());
  for (const [code] of entries) expect(codesPage()).toContain(`\n### ${code} ${CODES[code].name}\n`);
});

test('a finding knows what its code means', () => {
  expect(diagnostic('LNT1003', place, 'm')).toEqual({
    code: 'LNT1003',
    name: 'unknown-field',
    severity: 'error',
    message: 'm',
    ...place,
    help: 'Correct the spelling or remove the field',
  });
  const object = { apiVersion: 'v1', kind: 'Secret', namespace: 'n', name: 's' };
  const related = [{ message: 'r', file: 'b.yaml', range: place.range }];
  expect(diagnostic('LNT2007', { ...place, object }, 'm', { severity: 'hint', fix: 'f', related })).toEqual({
    code: 'LNT2007',
    name: 'no-backends',
    severity: 'hint',
    message: 'm',
    object,
    ...place,
    related,
    fix: 'f',
  });
});

test('a code that is not in the register does not compile', () => {
  // @ts-expect-error LNT9999 is in no register
  expect(() => diagnostic('LNT9999', place, 'm')).toThrow(TypeError);
});
