import { expect, test } from 'vitest';
import { judgeConfig, VIEWS } from '../../../support/registry-rule.ts';

const config = (telemetry: string) => `${VIEWS}auth: { mode: anonymous }\ntelemetry: { ${telemetry} }\n`;

test.each<[telemetry: string, expected: string[]]>([
  ['enabled: true, endpoint: "otel:4318"', []],
  ['enabled: true, endpoint: "https://otel.example.com"', []],
  ['enabled: false, endpoint: not a url', []],
  ['enabled: true, endpoint: not a url', ['LNT6011 error 8:39']],
  ['enabled: true, endpoint: "https://u:p@otel"', ['LNT6011 error 8:39']],
  ['enabled: true, endpoint: "otel:0"', ['LNT6011 error 8:39']],
])('the rule telemetrySettings gives the expected findings for: %s', (telemetry, expected) => {
  const found = judgeConfig('telemetrySettings', config(telemetry));
  expect(found.map(line => line.split(' ').slice(0, 3).join(' '))).toEqual(expected);
});
