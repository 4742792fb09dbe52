import { describe, expect, test } from 'vitest';
import { diffExposure, type ExposureDifference } from '#compiler';
import { ANONYMOUS, AUTHENTICATED, compileExposure, EVERYTHING } from '../exposure/registry/sample.ts';

const TELEMETRY =
  'telemetry: { enabled: true, serviceName: a, endpoint: "otel.example.com:4318", tracing: { enabled: true, sampling: 0.5 } }\n';

const AUDIT =
  'audit: { enabled: true, eventTypes: [server.list, auth.unauthenticated], logFile: /var/log/a/audit.jsonl }\n';

function lines({ changes }: ExposureDifference): readonly string[] {
  return changes.map(({ type, name, change, effect, alarms }) =>
    [`${type} ${name}: ${change}`, effect, ...alarms].join(', '),
  );
}

function changed(from: string, to: string, text = EVERYTHING): string {
  if (!text.includes(from)) throw new Error(`not in the sample: ${from}`);
  return text.replace(from, to);
}

describe('changes of a registry server', () => {
  test.each([
    ['no change', EVERYTHING, EVERYTHING, 'equivalent', []],
    [
      'a registry with fewer required claims',
      EVERYTHING,
      changed('[git, own, team], claims: { org: example }', '[git, own, team], claims: { org: [example, partner] }'),
      'wider',
      undefined,
    ],
    ['removed authentication', AUTHENTICATED, ANONYMOUS, 'wider', undefined],
  ] as const)('lintel diff of a registry server is $3: %s', (_, before, after, classification, expected) => {
    const found = diffExposure(compileExposure(before), compileExposure(after));
    expect([found.classification, lines(found)]).toEqual([classification, expected ?? lines(found)]);
  });

  test.each([
    ['telemetry is added', '', TELEMETRY, 'mixed', 1],
    ['telemetry is removed', TELEMETRY, '', 'equivalent', 1],
    [
      'telemetry goes to another collector',
      TELEMETRY,
      TELEMETRY.replace('otel.example.com', 'other.example.com'),
      'mixed',
      1,
    ],
    [
      'telemetry has another service name',
      TELEMETRY,
      TELEMETRY.replace('serviceName: a', 'serviceName: b'),
      'equivalent',
      1,
    ],
    ['telemetry samples more requests', TELEMETRY, TELEMETRY.replace('0.5', '1'), 'wider', 1],
    ['telemetry stays the same', TELEMETRY, TELEMETRY, 'equivalent', 0],
    ['the audit log moves to another path', AUDIT, AUDIT.replace('/var/log/a/', '/var/log/b/'), 'equivalent', 1],
    [
      'the audit log records fewer events',
      AUDIT,
      AUDIT.replace('[server.list, auth.unauthenticated]', '[server.list]'),
      'equivalent',
      1,
    ],
  ])(
    'lintel diff of telemetry or audit settings of a registry server is $3: %s',
    (_, before, after, expected, count) => {
      const { classification, changes } = diffExposure(
        compileExposure(`${ANONYMOUS}${before}`),
        compileExposure(`${ANONYMOUS}${after}`),
      );
      expect([classification, changes.length]).toEqual([expected, count]);
    },
  );

  test('lintel diff lists the routes that are open after a registry server stopped authenticating callers', () => {
    const opened = diffExposure(compileExposure(AUTHENTICATED), compileExposure(ANONYMOUS));
    expect(lines(opened)).toContain('registry server company: changed, wider, anonymous');
    expect(lines(opened).some(line => /^route .*wider, anonymous$/.test(line))).toBe(true);
    const closed = diffExposure(compileExposure(ANONYMOUS), compileExposure(AUTHENTICATED));
    expect(closed.classification).toBe('narrower');
    expect(closed.changes.flatMap(({ alarms }) => alarms)).toEqual([]);
  });
});
