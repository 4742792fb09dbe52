/** Which differences fail a pipeline. Each level includes the next one. */
import type { ExposureDifference } from './difference.ts';

export const FAIL_ON = ['any', 'wider', 'alarm'] as const;

/**
 * `any`: every difference. `wider`: differences by which callers may gain access, or that have an alarm. `alarm`: differences that need a look
 * first, as the report says.
 */
export type FailOn = (typeof FAIL_ON)[number];

export function failsOn(level: FailOn, { change, classification, changes }: ExposureDifference): boolean {
  if (change === 'none') return false;
  const hasAlarm = changes.some(({ alarms }) => alarms.length > 0);
  switch (level) {
    case 'any':
      return true;
    case 'wider':
      // Only these two classifications cannot open anything.
      return hasAlarm || !(classification === 'narrower' || classification === 'equivalent');
    case 'alarm':
      return hasAlarm;
  }
}
