// Loaded into a process that is measured (`node --import`): writes its peak resident set, in kB, to descriptor 3.
import { writeSync } from 'node:fs';

process.on('exit', () => writeSync(3, String(process.resourceUsage().maxRSS)));
