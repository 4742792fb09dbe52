/** Runs buildah, which needs no daemon. Its programs run in a chroot: the files are those of the image, network and processes the machine's. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A build writes a line for each package that it installs. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * @param storage a folder for images and containers, apart from those of the machine
 * @returns standard output
 */
export async function buildah(storage: string, [command = '', ...args]: readonly string[]): Promise<string> {
  const folders = ['--root', `${storage}/images`, '--runroot', `${storage}/run`];
  const isolated = command === 'bud' || command === 'run' ? ['--isolation', 'chroot'] : [];
  const { stdout } = await promisify(execFile)('buildah', [...folders, command, ...isolated, ...args], {
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  return stdout.trim();
}
