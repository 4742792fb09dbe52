import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AuditRecord } from '../../../runtime/observe/audit/audit-record.ts';
import { OpenRecords } from '../../../runtime/observe/audit/open-records.ts';
import { runs } from '../../support/runs.ts';

test('after any additions and deletions, the list of unfinished audit records has the same entries as a JavaScript Set', () => {
  const steps = fc.array(fc.tuple(fc.constantFrom('add', 'delete'), fc.nat(9)), { maxLength: 60 });
  fc.assert(
    fc.property(steps, taken => {
      const records = Array.from({ length: 10 }, () => ({ index: -1 }) as AuditRecord);
      const [open, model] = [new OpenRecords(), new Set<AuditRecord>()];
      for (const [step, index] of taken) {
        const record = records[index] as AuditRecord;
        if (step === 'delete') {
          open.delete(record);
          model.delete(record);
        } else if (!model.has(record)) {
          open.add(record);
          model.add(record);
        }
        expect(new Set(open)).toEqual(new Set(model));
        expect([...open]).toHaveLength(model.size);
      }
    }),
    { numRuns: runs(400) },
  );
});

test('records can be deleted from the list of unfinished audit records while a loop iterates over the list', () => {
  const open = new OpenRecords();
  for (let at = 0; at < 5; at++) open.add({ index: -1 } as AuditRecord);
  let count = 0;
  for (const record of open) {
    open.delete(record);
    count++;
  }
  expect([count, [...open].length]).toEqual([5, 0]);
});
