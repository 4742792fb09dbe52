/** The formats of Lintel's schemas. As in Kubernetes, an unknown format allows everything. */
import { isQuantity, QUANTITY_FORM } from '../text/quantity.ts';

/** A format: a test for values of its type (other types pass), a description, and an example. */
export interface Format {
  readonly expected: string;
  readonly example: string;
  holds(value: unknown): boolean;
}

/** Formats by name. */
export const FORMATS: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['int32', createIntegerFormat(32)],
  ['int64', createIntegerFormat(64)],
  ['quantity', { expected: QUANTITY_FORM, example: '256Mi', holds: isQuantity }],
  [
    'date-time',
    {
      expected: 'a date and time such as 2026-01-31T12:00:00Z',
      example: '2026-01-31T12:00:00Z',
      holds: value => typeof value !== 'string' || isDateTime(value),
    },
  ],
]);

function createIntegerFormat(bits: 32 | 64): Format {
  const end = 2n ** BigInt(bits - 1);
  return {
    expected: `an integer of ${bits} bits, ${-end} to ${end - 1n}`,
    example: '60',
    holds: value => {
      if (typeof value !== 'bigint' && !Number.isInteger(value)) return true;
      const exact = BigInt(value as number | bigint);
      return exact >= -end && exact < end;
    },
  };
}

const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|[+-](\d\d):(\d\d))$/;

/**
 * As Go's `time.RFC3339` and so the API server parse it: upper-case letters and no leap second.
 * @see https://www.rfc-editor.org/rfc/rfc3339#section-5.6
 */
function isDateTime(text: string): boolean {
  const match = DATE_TIME.exec(text);
  if (!match) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, offsetHour = 0, offsetMinute = 0] = match
    .slice(1)
    .map(part => Number(part ?? 0));
  if (month < 1 || month > 12 || day < 1 || day > countDays(year, month)) return false;
  return hour < 24 && minute < 60 && second < 60 && offsetHour < 24 && offsetMinute < 60;
}

function countDays(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (month === 2) return leap ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
