import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { PROGRAM, start, temporaryFolder } from '../../support/process.ts';
import { FREE_PORTS } from '../served.ts';
import { CLEAN } from '../specs.ts';

test.runIf(process.platform === 'linux')(
  '`lintel serve` reports a failure and exits with code 70 when its runtime is killed',
  async () => {
    await using folder = await temporaryFolder(CLEAN);
    await using lintel = start(PROGRAM.lintel, ['serve', folder.path, ...FREE_PORTS]);
    await lintel.announcement();
    const [child = ''] = (await readFile(`/proc/${lintel.pid}/task/${lintel.pid}/children`, 'utf8')).split(' ');
    process.kill(Number(child), 'SIGKILL');
    expect(await lintel.exitCode()).toBe(70);
    expect(lintel.stderr.text).toContain('lintel: the runtime was ended by SIGKILL\n');
  },
);
