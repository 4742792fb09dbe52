/**
 * Runs buildah, which needs no daemon. Build steps run in a chroot: they see the files of the image, and the network and processes of the
 * machine.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { OptionError } from '#shared/util';

/** Maximum size of the output: a build logs a line for each package that it installs. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * @param storage a folder for images and containers, apart from those of the machine
 * @returns standard output
 * @throws OptionError when no registry has the base image
 */
export async function buildah(storage: string, [command = '', ...args]: readonly string[]): Promise<string> {
  const folders = ['--root', `${storage}/images`, '--runroot', `${storage}/run`];
  const isolated = command === 'bud' || command === 'run' ? ['--isolation', 'chroot'] : [];
  try {
    const { stdout } = await promisify(execFile)('buildah', [...folders, command, ...isolated, ...args], {
      maxBuffer: MAX_OUTPUT_BYTES,
    });
    return stdout.trim();
  } catch (error) {
    throw explainPull((error as { readonly stderr?: string }).stderr ?? '') ?? error;
  }
}

/** The error for a base image that no registry has; undefined for any other failure. */
function explainPull(stderr: string): OptionError | undefined {
  const [, image, cause] = /^Error: .*initializing source docker:\/\/(\S+): (.+)$/m.exec(stderr) ?? [];
  if (image === undefined) return undefined;
  return new OptionError(
    `the image ${image} cannot be pulled: ${cause}; where no registry can be reached, --debian makes the bases of Debian's packages`,
  );
}
