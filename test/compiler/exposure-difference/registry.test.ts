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

describe('what a change of a registry server does', () => {
  test.each([
    ['nothing', EVERYTHING, EVERYTHING, 'equivalent', []],
    [
      'a registry that others may see too',
      EVERYTHING,
      changed('[git, own, team], claims: { org: example }', '[git, own, team], claims: { org: [example, partner] }'),
      'wider',
      undefined,
    ],
    ['tokens of no use any more', AUTHENTICATED, ANONYMOUS, 'wider', undefined],
  ] as const)('%s', (_, before, after, classification, expected) => {
    const found = diffExposure(compileExposure(before), compileExposure(after));
    expect([found.classification, lines(found)]).toEqual([classification, expected ?? lines(found)]);
  });

  test.each([
    ['that begins', '', TELEMETRY, 'mixed', 1],
    ['that ends', TELEMETRY, '', 'equivalent', 1],
    ['to another collector', TELEMETRY, TELEMETRY.replace('otel.example.com', 'other.example.com'), 'mixed', 1],
    ['under another name', TELEMETRY, TELEMETRY.replace('serviceName: a', 'serviceName: b'), 'equivalent', 1],
    ['of more requests', TELEMETRY, TELEMETRY.replace('0.5', '1'), 'equivalent', 1],
    ['that is the same', TELEMETRY, TELEMETRY, 'equivalent', 0],
    ['to an audit log elsewhere', AUDIT, AUDIT.replace('/var/log/a/', '/var/log/b/'), 'equivalent', 1],
    ['of fewer events', AUDIT, AUDIT.replace('[server.list, auth.unauthenticated]', '[server.list]'), 'equivalent', 1],
  ])('reports %s', (_, before, after, expected, count) => {
    const { classification, changes } = diffExposure(
      compileExposure(`${ANONYMOUS}${before}`),
      compileExposure(`${ANONYMOUS}${after}`),
    );
    expect([classification, changes.length]).toEqual([expected, count]);
  });

  test('when a registry server no longer authenticates callers, the difference lists the routes that are open now', () => {
    const opened = diffExposure(compileExposure(AUTHENTICATED), compileExposure(ANONYMOUS));
    expect(lines(opened)).toContain('registry server company: changed, wider, anonymous');
    expect(lines(opened).some(line => /^route .*wider, anonymous$/.test(line))).toBe(true);
    const closed = diffExposure(compileExposure(ANONYMOUS), compileExposure(AUTHENTICATED));
    expect(closed.classification).toBe('narrower');
    expect(closed.changes.flatMap(({ alarms }) => alarms)).toEqual([]);
  });
});
