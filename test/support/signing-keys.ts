/** Keys for signing commits, made by ssh-keygen and gpg. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SigningKey {
  /** The values of `sign` and `env` for `TestRepository.commit`. */
  readonly sign: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export class SshKey implements SigningKey {
  readonly file: string;
  readonly sign: readonly string[];
  readonly env = {};
  #fingerprint: string | undefined;

  constructor(folder: string, name: string) {
    this.file = join(folder, name);
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', this.file]);
    this.sign = ['-c', 'gpg.format=ssh', '-c', `user.signingKey=${this.file}.pub`];
  }

  /** The private key in the format of OpenSSH. */
  get privateKey(): string {
    return readFileSync(this.file, 'utf8');
  }

  /** The public key as its type and its value. */
  get publicKey(): string {
    return readFileSync(`${this.file}.pub`, 'utf8').split(' ').slice(0, 2).join(' ');
  }

  /** The fingerprint as `SHA256:…`. */
  get fingerprint(): string {
    const listed = () => execFileSync('ssh-keygen', ['-l', '-f', `${this.file}.pub`], { encoding: 'utf8' });
    this.#fingerprint ??= listed().split(' ')[1] ?? '';
    return this.#fingerprint;
  }
}

/** A gpg home with one key; `using` ends the agent that keeps it. */
export class OpenPgpKey implements SigningKey, Disposable {
  readonly fingerprint: string;
  readonly sign: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly #home: string;
  readonly #program: string;
  #publicKey: string | undefined;

  /** @param at when the key is made and signs, as `20200101T000000`; it expires a year later */
  constructor(folder: string, name: string, at?: string) {
    this.#home = join(folder, name);
    mkdirSync(this.#home, { mode: 0o700 });
    const time = at === undefined ? '' : `--faked-system-time=${at}! `;
    this.#program = join(this.#home, 'program');
    writeFileSync(this.#program, `#!/bin/sh\nexec gpg ${time}"$@"\n`);
    chmodSync(this.#program, 0o755);
    this.#gpg('--quick-gen-key', `${name} <${name}@example.com>`, 'ed25519', 'sign', '1y');
    const listed = this.#gpg('--with-colons', '--list-keys');
    this.fingerprint = /^fpr:+([0-9A-F]{40}):/m.exec(listed)?.[1] ?? '';
    this.sign = ['-c', `gpg.program=${this.#program}`, '-c', `user.signingKey=${this.fingerprint}`];
    this.env = { GNUPGHOME: this.#home };
  }

  /** The public key as armored text. */
  get publicKey(): string {
    this.#publicKey ??= this.#gpg('--armor', '--export');
    return this.#publicKey;
  }

  /** Revokes the key with the revocation certificate that gpg makes for each key. */
  revoke(): void {
    const folder = join(this.#home, 'openpgp-revocs.d');
    const certificate = readFileSync(join(folder, readdirSync(folder)[0] ?? ''), 'utf8');
    writeFileSync(join(this.#home, 'revoked.asc'), certificate.replace(/^:-----BEGIN/m, '-----BEGIN'));
    this.#gpg('--import', join(this.#home, 'revoked.asc'));
    this.#publicKey = undefined;
  }

  [Symbol.dispose](): void {
    execFileSync('gpgconf', ['--kill', 'all'], { env: { PATH: process.env.PATH, GNUPGHOME: this.#home } });
  }

  #gpg(...args: string[]): string {
    const options = ['--batch', '--quiet', '--pinentry-mode', 'loopback', '--passphrase', ''];
    const env = { PATH: process.env.PATH, GNUPGHOME: this.#home, HOME: this.#home };
    return execFileSync(this.#program, [...options, ...args], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }
}
