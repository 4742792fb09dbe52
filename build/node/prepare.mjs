/**
 * npm runs this file as `prepare`: at `npm ci`, and each time that `npx lintel` starts in this folder. npx does not show its output. If it failed,
 * npx would end without a message, and leave a folder in its cache that makes each later start fail. So under npx this file never fails: a program
 * that could not be built says so itself when npx starts it. The file has no types, because an older Node runs it too.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const isOfNpx = process.env.npm_command === 'exec';
/** A Node without this feature cannot run the scripts of this repository. The programs themselves say which Node they need. */
const readsTypes = Boolean(process.features.typescript);

try {
  if (readsTypes || !isOfNpx) await import('../../prepare.ts');
  else leaveWord(path => !existsSync(path), 'this clone of Lintel is not built: run `npm ci` in it');
} catch (error) {
  if (!isOfNpx) throw error;
  leaveWord(
    () => true,
    'this clone of Lintel cannot be built as it is: `npm run build` in it says why, and `npm ci` installs what it needs',
  );
}

/** Writes files in place of the programs that only print the problem. The next build replaces them. */
function leaveWord(isMeant, problem) {
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const [name, file] of Object.entries(bin)) {
    const path = join(root, file);
    if (!isMeant(path)) continue;
    mkdirSync(dirname(path), { recursive: true });
    const text = JSON.stringify(`${name}: ${problem}\n`);
    writeFileSync(path, `#!/usr/bin/env node\nprocess.stderr.write(${text});\nprocess.exitCode = 2;\n`, {
      mode: 0o755,
    });
  }
}
