/**
 * `npm run test:soak:replicas [-- --minutes N] [-- --sessions N]`: the long form of the test in this folder, with figures. Exit code 1 for any
 * violation.
 */
import { parseArgs } from 'node:util';
import { soakReplicas } from './replicas-soak.ts';

/** Allowed growth of memory from a third of the time to the end. */
const MEMORY_RATIO = 1.25;

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, sessions: { type: 'string', default: '200' } },
});

const report = await soakReplicas({
  sessions: Number(values.sessions),
  durationMs: Number(values.minutes) * 60_000,
  pauseMs: 1_000,
  eventMs: 3_000,
});
const [after, atEnd] = report.memory;
const failures = [...report.violations];
if (report.violationCount > report.violations.length) failures.push(`${report.violationCount} violations in all`);
if (atEnd > after * MEMORY_RATIO) failures.push('memory of the oldest replica grows');
process.stdout.write(`${JSON.stringify({ ...report, memoryRatio: atEnd / after }, null, 2)}\n`);
for (const failure of failures) process.stderr.write(`${failure}\n`);
if (failures.length > 0) process.exitCode = 1;
process.exit();
