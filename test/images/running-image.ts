/**
 * An image that runs as a strict cluster would run it: as the user that it names, without capabilities and without a way to new ones, in a
 * chroot whose files are read-only, but for the folders that are mounted, with processes of its own. The network is that of the machine.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildah } from '../../build/images/buildah.ts';
import { type Outcome, Output } from '../support/process.ts';
import type { ImageConfig } from './image-registry.ts';

const DEVICES = ['null', 'zero', 'random', 'urandom'];

/** Mounts what a program needs, makes the rest read-only, and becomes the program. */
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
  /** Instead of that of the image. */
  readonly entrypoint?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface RunningImage extends AsyncDisposable {
  readonly stdout: Output;
  readonly stderr: Output;
  /** Of the program, as this machine counts. */
  pid(): Promise<number>;
  /** Waits for the end. */
  outcome(): Promise<Outcome>;
}

/** Puts the files of an image where programs can run in them. @param image a name for buildah, such as `docker://127.0.0.1:5000/lintel:0.1.0` */
export async function unpackImage(storage: string, image: string): Promise<string> {
  const container = await buildah(storage, ['from', '--pull-always', '--tls-verify=false', image]);
  const root = await buildah(storage, ['mount', container]);
  for (const folder of ['dev', 'proc', 'tmp']) await mkdir(join(root, folder), { recursive: true });
  // Only a place to mount the device at.
  for (const device of DEVICES) await writeFile(join(root, 'dev', device), '', { flag: 'a' });
  return root;
}

/** Starts the program of an image. @param root where its files are */
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

/** To its end. */
export async function runImage(...given: Parameters<typeof startImage>): Promise<Outcome> {
  return (await startImage(...given)).outcome();
}
