/**
 * `npm run peers`: installs the packages of the workspaces, which `npm ci` leaves out because neither the quickstart nor most tests need them.
 * Scripts that need them run it first. It does nothing when all are installed.
 */
import { execFileSync } from 'node:child_process';
import { ROOT } from '../support/process.ts';
import { missingFromLock, missingPackages } from './missing-packages.ts';

const missing = missingPackages();
if (missing.length > 0) {
  process.stderr.write(
    `npm ci leaves out what this needs: npm installs about ${missingFromLock()} packages now, once (245 MB with all of them), among them ${missing.join(', ')}\n`,
  );
  // `install` and not `ci`, which would first remove the Node that runs this. Versions still come from the lockfile.
  const args = ['install', '--no-save', '--workspaces', '--include-workspace-root', '--ignore-scripts'];
  execFileSync('npm', args, { cwd: ROOT, stdio: 'inherit' });
}
