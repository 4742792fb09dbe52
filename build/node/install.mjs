/**
 * Installs Node 24 for the scripts of this repository if the machine has an older one: 124 MB that users of Lintel do not need. npm runs this file as
 * `preprepare`, so that `prepare` finds the program in `node_modules/.bin`. The older Node runs this file, so it has no types.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The scripts use `import.meta.main`, which exists since Node 24.2. */
const OLDEST = [24, 2];

const here = dirname(fileURLToPath(import.meta.url));
const binaries = join(here, '../../node_modules/.bin');
const link = join(binaries, 'node');

const [major, minor] = process.versions.node.split('.').map(Number);
const isNewEnough = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);

if (!isNewEnough && !existsSync(link)) {
  const { dependencies } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
  process.stderr.write(
    `This is Node ${process.versions.node}; scripts of this repository need ${OLDEST.join('.')} or later. Node ${dependencies.node} comes into node_modules, once (124 MB).\n` +
      'Warnings EBADENGINE of npm are about the older one, which runs none of these packages.\n',
  );
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: here,
    env: withoutProject(process.env),
    stdio: ['ignore', 'ignore', 'inherit'],
    // On Windows, npm is a script that only a shell can run.
    shell: process.platform === 'win32',
  });
  // The package contains its program as a link or a copy. The rest of the package that the program came from is 67 MB of headers for C++.
  rmSync(join(here, 'node_modules/node/node_modules'), { recursive: true, force: true });
  mkdirSync(binaries, { recursive: true });
  symlinkSync(relative(binaries, join(here, 'node_modules/node/bin/node')), link);
}

/** npm passes its options on as environment variables. Those about the project or its workspaces do not apply to the folder of this file. */
function withoutProject(env) {
  const isOfProject = /^npm_config_(workspace|include_workspace_root|local_prefix)/i;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isOfProject.test(name)));
}
