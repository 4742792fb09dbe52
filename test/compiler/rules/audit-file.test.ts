import { expect, test } from 'vitest';
import { gatewayConfig, judge } from '../../support/rule.ts';

const NO_PATH = 'must be absolute and name a file, without "." and ".." in it';

test.each<[path: string, flaw: string | undefined]>([
  ['', undefined],
  ['/dev/stdout', undefined],
  ['/var/log/lintel/audit.jsonl', undefined],
  ['audit.jsonl', NO_PATH],
  ['./audit.jsonl', NO_PATH],
  ['/var/log/../audit.jsonl', NO_PATH],
  ['/var/log/', NO_PATH],
  ['/audit.jsonl', 'must be in a folder other than the root of the file system'],
  ['/etc/lintel/audit.jsonl', 'must not be below /etc/lintel, where the bundle and secrets are'],
  ['/etc/lintel/bundle/audit.jsonl', 'must not be below /etc/lintel, where the bundle and secrets are'],
])('the rule auditFile accepts or refuses the log file "%s" as expected', (path, flaw) => {
  const config = (isEnabled: boolean) => gatewayConfig(`{ audit: { enabled: ${isEnabled}, logFile: "${path}" } }`);
  const expected = flaw === undefined ? [] : [`LNT1012 error 7:46 the path of the audit log ${flaw}`];
  expect(judge('auditFile', config(true))).toEqual(expected);
  expect(judge('auditFile', config(false)), 'nothing is written').toEqual([]);
});
