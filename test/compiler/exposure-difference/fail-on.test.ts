import { describe, expect, test } from 'vitest';
import type {
  Alarm,
  Classification,
  ExposureDifference,
} from '../../../compiler/analysis/exposure/difference/difference.ts';
import { FAIL_ON, failsOn } from '../../../compiler/analysis/exposure/difference/fail-on.ts';

function difference(classification: Classification, ...alarms: readonly Alarm[]): ExposureDifference {
  return {
    formatVersion: 1,
    kind: 'gateway',
    namespace: 'default',
    name: 'eng',
    change: 'changed',
    classification,
    complete: true,
    callers: [],
    changes: [{ type: 'tool', name: 'push', change: 'changed', effect: 'mixed', alarms, aspects: [] }],
  };
}

describe('--fail-on', () => {
  test.each<[what: string, difference: ExposureDifference, fails: readonly string[]]>([
    ['no change', { ...difference('equivalent'), change: 'none', changes: [] }, []],
    ['an equivalent change', difference('equivalent'), ['any']],
    ['a narrower change', difference('narrower'), ['any']],
    ['a wider change', difference('wider'), ['any', 'wider']],
    ['a mixed change', difference('mixed'), ['any', 'wider']],
    ['an unclassified change', difference('unclassified'), ['any', 'wider']],
    ['a wider change with an alarm', difference('wider', 'destructive'), ['any', 'wider', 'alarm']],
    ['a narrower change with an alarm', difference('narrower', 'callerLost'), ['any', 'wider', 'alarm']],
    ['an equivalent change with an alarm', difference('equivalent', 'otherSecret'), ['any', 'wider', 'alarm']],
  ])('lintel diff --fail-on fails for %s exactly with the values $2', (_, compared, fails) => {
    expect(FAIL_ON.filter(level => failsOn(level, compared))).toEqual(fails);
  });
});
