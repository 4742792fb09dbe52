/** A private repository on servers of tests, and what other processes and files show of the credentials with which it is read. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { GitRepository, SecretData } from '../../../controller/source/index.ts';
import { TestRepository } from '../../support/git-repository.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { findSource, never, repositoryIn } from './sources.ts';

export const PASSWORD = 'hunter2-püß:"%';
export const TOKEN = 'ghs_16C7e42F292c6912E7710c838347Ae178B4a';

/** A private repository in a folder of its own, and a folder of state with which it is read. */
export class PrivateRepository implements AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly repository: TestRepository;
  #states = 0;

  private constructor(folder: TemporaryFolder) {
    this.folder = folder;
    mkdirSync(folder.file('repositories'));
    this.repository = new TestRepository(folder.file('repositories'), 'private.git');
    this.repository.commit({ 'gateway.yaml': 'private' });
  }

  static async create(): Promise<PrivateRepository> {
    return new PrivateRepository(await temporaryFolder());
  }

  get stateDir(): string {
    return this.folder.file(`state-${this.#states}`);
  }

  /** Gives each test another folder of state. */
  startAfresh(): void {
    this.#states += 1;
  }

  /** Reads the newest commit with a Secret, as the controller does in a cluster. */
  fetch(
    url: string,
    secret: SecretData | null,
    options = { isLocalAllowed: false },
  ): ReturnType<GitRepository['fetchLatest']> {
    const spec = { url, ...(secret !== null && { secretRef: { name: 'git' } }) };
    return repositoryIn(this.stateDir, secret === null ? {} : { git: secret }, options).fetchLatest(
      findSource(spec),
      undefined,
      never,
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.folder[Symbol.asyncDispose]();
  }
}

export async function expectRefused(fetched: Promise<unknown>, message: string): Promise<void> {
  const error = await fetched.then(
    () => undefined,
    error => error,
  );
  expect(error).toMatchObject({ reason: 'AuthenticationFailed', next: 'stalled' });
  expect(error.message).toBe(message);
  for (const secret of [PASSWORD, TOKEN, Buffer.from(`lintel:${PASSWORD}`).toString('base64'), 'PRIVATE KEY'])
    expect(error.message).not.toContain(secret);
}

/** The arguments of all running processes, with the file from which each was read. */
export function commandLines(): string[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(id => {
      try {
        return [readFileSync(`/proc/${id}/cmdline`, 'utf8')];
      } catch {
        // The process has exited meanwhile.
        return [];
      }
    });
}

/** The contents of all files below a folder. */
export function textsIn(path: string): string {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}
