/** `npm run executables`: writes them into `release/executables/`. */
import { tell } from '../tell.ts';
import { makeExecutables } from './make.ts';

for (const { file, size, node } of await makeExecutables('release/executables', undefined, tell)) {
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  process.stdout.write(`${file}: ${megabytes(size)}, of which ${megabytes(node)} are Node\n`);
}
