/** `npm run executables`: writes the single executables into `release/executables/`. */
import { logStep } from '../log-step.ts';
import { makeExecutables } from './make.ts';

for (const { file, size, node } of await makeExecutables('release/executables', undefined, logStep)) {
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  process.stdout.write(`${file}: ${megabytes(size)}, of which ${megabytes(node)} are Node\n`);
}
