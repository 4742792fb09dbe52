import { expect, test } from 'vitest';
import { judgeConfig, VIEWS } from '../../../support/registry-rule.ts';

const config = (audit: string) => `${VIEWS}auth: { mode: anonymous }\naudit: ${audit}\n`;

test.each<[audit: string, expected: string[]]>([
  ['{ enabled: true, eventTypes: [server.list], excludeEventTypes: [auth.unauthenticated] }', []],
  ['{ enabled: true, eventTypes: [server.lists] }', ['LNT1011 error 8:38 no audit event is named "server.lists"']],
  ['{ enabled: true, excludeEventTypes: [mcp_ping] }', ['LNT1011 error 8:45 no audit event is named "mcp_ping"']],
  [
    '{ enabled: true, logFile: audit.jsonl }',
    ['LNT1012 error 8:34 the path of the audit log must be absolute and name a file, without "." and ".." in it'],
  ],
  ['{ enabled: false, logFile: audit.jsonl }', []],
])('the rule auditSettings gives the expected findings for: %s', (audit, expected) => {
  expect(judgeConfig('auditSettings', config(audit))).toEqual(expected);
});
