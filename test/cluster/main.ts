/** `npm run test:cluster`: the suites of this folder. Without an API server it prints a message, and fails where peers are required. */
import { spawnSync } from 'node:child_process';
import { ASSETS } from '../support/kube-api/real.ts';
import { ROOT } from '../support/process.ts';

if (ASSETS === undefined) {
  process.stdout.write('skipped: KUBEBUILDER_ASSETS not set\n');
  process.exit(process.env.LINTEL_REQUIRE_PEERS === '1' ? 1 : 0);
}

for (const [program, ...args] of [
  ['node', 'prepare.ts'],
  ['npx', 'vitest', 'run', '--config', 'test/cluster/vitest.config.ts', ...process.argv.slice(2)],
]) {
  const { status } = spawnSync(program ?? '', args, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
