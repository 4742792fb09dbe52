/** OpenSSH's server on loopback, one process for each connection. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { SshKey } from './signing-keys.ts';

/** An ssh server; `await using` stops it. */
export class SshServer implements AsyncDisposable {
  readonly #server: Server;
  #hostKey: SshKey;
  readonly #folder: string;
  readonly #config: string;
  readonly #settings: readonly string[];
  readonly #authorized: string;
  connections = 0;

  /**
   * @param folder where the server's files are; each server needs its own
   * @param onConnection called for each connection
   * @param settings further lines of `sshd_config`
   */
  static async start(
    folder: string,
    onConnection: () => void = () => {},
    settings: readonly string[] = [],
  ): Promise<SshServer> {
    const server = new SshServer(folder, onConnection, settings);
    await new Promise<void>(resolve => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  private constructor(folder: string, onConnection: () => void, more: readonly string[]) {
    mkdirSync(folder, { recursive: true });
    // The folder for dropping privileges, which the package's start script would create.
    if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
    this.#folder = folder;
    this.#hostKey = new SshKey(folder, 'host-key');
    this.#authorized = join(folder, 'authorized_keys');
    writeFileSync(this.#authorized, '');
    this.#config = join(folder, 'sshd_config');
    this.#settings = [
      `AuthorizedKeysFile ${this.#authorized}`,
      'PermitRootLogin prohibit-password',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'StrictModes no',
      'UsePAM no',
      'AcceptEnv GIT_PROTOCOL',
      ...more,
    ];
    this.#configure();
    this.#server = createServer(socket => {
      this.connections += 1;
      onConnection();
      // sshd demands to be started by its full path.
      const child = spawn('/usr/sbin/sshd', ['-i', '-f', this.#config], { stdio: ['pipe', 'pipe', 'ignore'] });
      socket
        .on('error', () => {})
        .pipe(child.stdin)
        .on('error', () => {});
      child.stdout.pipe(socket);
      socket.once('close', () => child.kill());
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The ssh URL of a repository by its absolute path. */
  url(path: string): string {
    return `ssh://${userInfo().username}@127.0.0.1:${this.port}${path}`;
  }

  /** This server's line in `known_hosts`, or one with another key. */
  knownHosts(key: SshKey = this.#hostKey): string {
    return `[127.0.0.1]:${this.port} ${key.publicKey}\n`;
  }

  /** Changes the server's host key for connections that begin from now on. */
  changeHostKey(): void {
    this.#hostKey = new SshKey(this.#folder, 'other-host-key');
    this.#configure();
  }

  #configure(): void {
    writeFileSync(this.#config, `${[`HostKey ${this.#hostKey.file}`, ...this.#settings].join('\n')}\n`);
  }

  /** Removes all authorized keys. */
  letInNone(): void {
    writeFileSync(this.#authorized, '');
  }

  /**
   * Authorizes a key.
   *
   * @param options the options before the key, as in authorized_keys
   */
  letIn(key: SshKey, options = ''): void {
    writeFileSync(this.#authorized, `${options}${key.publicKey}\n`, { flag: 'a' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise(resolve => this.#server.close(resolve));
  }
}
