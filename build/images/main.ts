/** `npm run images [-- --debian]`: writes the images into `release/images/`. */
import { resolve } from 'node:path';
import { OptionError, parseOptions } from '#shared/util';
import { logStep } from '../log-step.ts';
import { makeImageArchives } from './archives.ts';
import { findMissingTools } from './tools.ts';

const USAGE = `Usage: npm run images [-- --debian]

Builds the image of each program with buildah, which needs no daemon, and writes it into release/images/ as an archive
for podman load, docker load or skopeo copy oci-archive:FILE docker://REGISTRY/NAME:TAG.

  --debian  make the bases of Debian's packages and of the Node that runs this, instead of those that the Containerfiles
            name: no registry of images is asked (needs root and mmdebstrap)
  --help    print this text
`;

const options = { debian: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;

/** @returns the exit code */
async function main(args: readonly string[]): Promise<number> {
  const { debian = false, help = false } = parseOptions(args, options);
  if (help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const missing = findMissingTools(debian);
  if (missing !== undefined) throw new OptionError(missing);
  for await (const { file, digest } of makeImageArchives(resolve('release/images'), debian, logStep))
    process.stdout.write(`${file}: ${digest}\n`);
  return 0;
}

process.exitCode = await main(process.argv.slice(2)).catch(error => {
  if (!(error instanceof OptionError)) throw error;
  process.stderr.write(`npm run images: ${error.message}\n`);
  return 2;
});
