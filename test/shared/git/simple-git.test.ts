/**
 * Requirements for git processes that `simple-git` does not meet (`shared/git/adr/0001`). A test that fails with another version is a reason to
 * reconsider that record. `failures.test.ts` tests Lintel's code in the same cases.
 */
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { withPeers } from '../../support/peers.ts';
import { eventually, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';

/** The part that is used here. The package's own types exist only where the peers are installed. */
interface SimpleGit {
  simpleGit(options: object): { raw(...args: string[]): Promise<string> };
}

/** Makes the library run another program in place of git, and changes nothing else. */
const UNSAFE = { allowUnsafeCustomBinary: true };

withPeers('simple-git').describe('simple-git', () => {
  let library: SimpleGit;
  let folder: TemporaryFolder;
  beforeAll(async () => {
    const name: string = 'simple-git';
    library = await import(name);
    folder = await temporaryFolder();
  });
  afterAll(() => folder?.[Symbol.asyncDispose]());

  const program = async (lines: string): Promise<string> => {
    await folder.write({ git: `#!/bin/sh\n${lines}\n` });
    chmodSync(folder.file('git'), 0o755);
    return folder.file('git');
  };

  test('simple-git leaves the helper of a git process running when the caller aborts', async () => {
    const started = folder.file('started');
    const binary = await program(
      `(trap '' HUP INT TERM; while :; do sleep 1; done) >/dev/null 2>&1 &\necho "$!" >'${started}'\nwait`,
    );
    const caller = new AbortController();
    const git = library.simpleGit({ baseDir: folder.path, binary, unsafe: UNSAFE, abort: caller.signal });
    const reading = git.raw('fetch').catch((error: unknown) => error);
    const pid = () => Number(readFileSync(started, 'utf8'));
    await eventually(() => existsSync(started) && pid() > 0);
    onTestFinished(() => {
      process.kill(pid(), 'SIGKILL');
    });
    caller.abort(new Error('shut down'));
    expect(await reading).toBeInstanceOf(Error);
    expect(() => process.kill(pid(), 0), 'the helper still runs').not.toThrow();
  });

  test('simple-git starts git in the process group of its caller, so that a kill of the group would reach the caller', async () => {
    const binary = await program(`cut -d ' ' -f 5 /proc/$$/stat`);
    const git = library.simpleGit({ baseDir: folder.path, binary, unsafe: UNSAFE });
    const own = readFileSync(`/proc/${process.pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[2];
    expect((await git.raw('fetch')).trim()).toBe(own);
  });

  test('simple-git keeps all of standard error in memory, whatever its size', async () => {
    const bytes = 4 * 1024 * 1024;
    const binary = await program(`head -c ${bytes} /dev/zero | tr '\\0' x >&2\nexit 1`);
    const git = library.simpleGit({ baseDir: folder.path, binary, unsafe: UNSAFE });
    const error = await git.raw('fetch').catch((failure: Error) => failure);
    expect((error as Error).message.length).toBeGreaterThanOrEqual(bytes);
  });

  test.each([
    ['protocol.allow=never', ['-c', 'protocol.allow=never', 'fetch']],
    ['core.hooksPath=/dev/null', ['-c', 'core.hooksPath=/dev/null', 'fetch']],
    ['--template=/dev/null', ['init', '--template=/dev/null']],
  ])('simple-git refuses to pass on git options that Lintel sets for safety: %s', async (_name, args) => {
    const binary = await program('true');
    const git = library.simpleGit({ baseDir: folder.path, binary, unsafe: UNSAFE });
    await expect(git.raw(...args)).rejects.toThrow(/allowUnsafe/);
  });
});
