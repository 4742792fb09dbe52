/**
 * An image run as in a strict cluster: as its own user, without capabilities and without gaining any, in a chroot with read-only files except
 * for mounted folders, and in its own process namespace. The network is the machine's.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildah } from '../../build/images/buildah.ts';
import { type Outcome, Output } from '../support/process.ts';
import type { ImageConfig } from './image-registry.ts';

const DEVICES = ['null', 'zero', 'random', 'urandom'];

/** Mounts what a program needs, makes the rest read-only, and executes the program. */
const SANDBOX = `
set -eu
root=$1; user=$2; mounts=$3; path=$PATH; shift 3
PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount --make-rprivate /
mount --bind "$root" "$root"
for device in ${DEVICES.join(' ')}; do mount --bind "/dev/$device" "$root/dev/$device"; done
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=1777 tmp "$root/tmp"
for pair in $mounts; do mount --bind "\${pair%%:*}" "$root\${pair##*:}"; done
mount -o remount,bind,ro "$root"
exec setpriv --no-new-privs -- env PATH="$path" /usr/sbin/chroot --userspec="$user" "$root" "$@"
`;

export interface RunOptions {
  /** Folders of this machine by their absolute paths in the image. */
  readonly mounts?: Readonly<Record<string, string>>;
  /** The entry point in place of the image's own. */
  readonly entrypoint?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface RunningImage extends AsyncDisposable {
  readonly stdout: Output;
  readonly stderr: Output;
  /** Process id of the program on this machine. */
  pid(): Promise<number>;
  /** Waits for the program's exit. */
  outcome(): Promise<Outcome>;
}

/**
 * Unpacks the files of an image so that programs can run in them.
 *
 * @param image a name for buildah, such as `docker://127.0.0.1:5000/lintel:0.1.0`
 */
export async function unpackImage(storage: string, image: string): Promise<string> {
  const container = await buildah(storage, ['from', '--pull-always', '--tls-verify=false', image]);
  const root = await buildah(storage, ['mount', container]);
  for (const folder of ['dev', 'proc', 'tmp']) await mkdir(join(root, folder), { recursive: true });
  // A mount point for the device.
  for (const device of DEVICES) await writeFile(join(root, 'dev', device), '', { flag: 'a' });
  return root;
}

/**
 * Starts an image's program.
 *
 * @param root folder of its files
 */
export async function startImage(
  root: string,
  { User, Entrypoint, Env }: ImageConfig['config'],
  args: readonly string[],
  { mounts = {}, entrypoint = Entrypoint, env = {} }: RunOptions = {},
): Promise<RunningImage> {
  for (const path of Object.keys(mounts)) await mkdir(join(root, path), { recursive: true });
  const pairs = Object.entries(mounts).map(([path, folder]) => `${folder}:${path}`);
  const own = ['--mount', '--pid', '--fork', '--kill-child', '--', '/bin/sh', '-c', SANDBOX, 'sandbox'];
  const variables = Object.fromEntries(Env.map(variable => variable.split(/=(.*)/s)));
  const child = spawn('/usr/bin/unshare', [...own, root, User, pairs.join(' '), ...entrypoint, ...args], {
    env: { ...variables, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = [new Output('stdout', child.stdout), new Output('stderr', child.stderr)];
  const ended = once(child, 'close') as Promise<[code: number | null]>;
  const pid = async () => Number(await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8'));
  return {
    stdout,
    stderr,
    pid,
    outcome: async () => ({ code: (await ended)[0], stdout: stdout.text, stderr: stderr.text }),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null) process.kill(await pid(), 'SIGTERM');
      await ended;
    },
  };
}

/** Runs an image's program until it exits. */
export async function runImage(...given: Parameters<typeof startImage>): Promise<Outcome> {
  return (await startImage(...given)).outcome();
}
