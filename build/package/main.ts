/** `npm run package`: writes the tarball into `release/`. */
import { logStep } from '../log-step.ts';
import { pack } from './pack.ts';

const { file, size, unpackedSize, paths } = await pack('release', logStep);
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
process.stdout.write(`${file}: ${megabytes(size)}, ${megabytes(unpackedSize)} in ${paths.length} files\n`);
