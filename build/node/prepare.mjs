/**
 * What npm runs as `prepare`: at `npm ci`, and each time that `npx lintel` starts in this folder. npx shows nothing of it; where it fails, npx ends
 * without a word, and leaves a folder in its cache with which it fails from then on. So there it never fails: a program that cannot be built says so
 * itself when npx starts it. It has no types, since an older Node runs it too.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const isOfNpx = process.env.npm_command === 'exec';
/** Without it Node reads none of our scripts; programs say by themselves which Node they need. */
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

/** Puts what says so in the place of programs. The next build replaces it. */
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
