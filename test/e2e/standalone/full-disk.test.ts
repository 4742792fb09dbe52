/** Really full disks: the controller waits, reports where and what to do, and recovers by itself. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { gatewayFile } from '../../support/gateway-specs.ts';
import { TestRepository } from '../../support/git-repository.ts';
import { asRoot } from '../../support/peers.ts';
import { eventually, PROGRAM, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';

/** A file system at `$1`, full until the file `$2` exists; then the program, in its own mount namespace. */
const SCRIPT = `
mount -t tmpfs -o size=2m none "$1" || exit 90
cat /dev/zero > "$1/ballast" 2>&-
disk="$1"; freed="$2"; shift 2
"$@" & program=$!
while [ ! -e "$freed" ]; do sleep 0.1; done
rm "$disk/ballast"
wait $program
`;

/** The controller, following a repository with a gateway; its files are below `root`. */
class Controller implements AsyncDisposable {
  output = '';
  readonly #child: ChildProcess;
  readonly #folder: TemporaryFolder;

  constructor(folder: TemporaryFolder, full: 'out' | 'state') {
    this.#folder = folder;
    const { PATH, HOME } = process.env;
    const program = [process.execPath, PROGRAM.controller, '--standalone', '--interval', '1s'];
    const where = [
      '--repo',
      folder.file('specs.git'),
      '--out',
      folder.file('out'),
      '--state-dir',
      folder.file('state'),
    ];
    const args = [folder.file(full), folder.file('freed'), ...program, ...where];
    this.#child = spawn('unshare', ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', SCRIPT, 'sh', ...args], {
      env: { PATH, HOME },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
      });
  }

  get isOver(): boolean {
    return this.#child.exitCode !== null;
  }

  free(): void {
    writeFileSync(this.#folder.file('freed'), '');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.isOver) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'close');
  }
}

async function prepared(): Promise<TemporaryFolder> {
  const folder = await temporaryFolder({ 'out/.keep': '', 'state/.keep': '' });
  new TestRepository(folder.path, 'specs.git').commit({ 'eng.yaml': gatewayFile('eng') });
  return folder;
}

asRoot().describe('a full disk', () => {
  test('a standalone controller reports in the status that the disk of its mirrors is full, and serves the commit once there is space', async () => {
    await using folder = await prepared();
    const status = () => {
      try {
        return JSON.parse(readFileSync(folder.file('out/status.json'), 'utf8'));
      } catch {
        return {};
      }
    };
    await using controller = new Controller(folder, 'state');
    await eventually(() => String(status().message).includes('there is no space left'));
    expect(status()).toMatchObject({ ready: false, message: expect.stringContaining('; free some') });
    controller.free();
    await eventually(() => status().ready === true);
  });

  test('a standalone controller logs that the disk of its bundles is full, and serves the commit once there is space', async () => {
    await using folder = await prepared();
    await using controller = new Controller(folder, 'out');
    await eventually(() => controller.output.includes('no space is left; free some space'));
    expect(controller.output).toContain(`${folder.file('out')}: no space is left; free some space`);
    expect(controller.isOver).toBe(false);
    controller.free();
    await eventually(() => controller.output.includes('written'));
  });
});
