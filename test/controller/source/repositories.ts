/** Fixtures for tests of sources: a repository without commits, and an empty state folder for the controller. */
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { TestRepository, type TestRepositoryOptions } from '../../support/git-repository.ts';
import { GitServer } from '../../support/git-server.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';

/** Gives each test of a file its own repository and state folder. The file calls it before its tests. */
export function useRepositories(): RepositoryFixture {
  const fixture = new RepositoryFixture();
  beforeAll(() => fixture.open());
  afterAll(() => fixture.close());
  beforeEach(() => fixture.next());
  return fixture;
}

/** Gives each test of a file its own repository and state folder, and all of them a server for the repositories. */
export function useServedRepositories(): ServedRepositoryFixture {
  const fixture = new ServedRepositoryFixture();
  beforeAll(() => fixture.open());
  afterAll(() => fixture.close());
  beforeEach(() => fixture.next());
  return fixture;
}

class RepositoryFixture {
  /** The folder of the repositories, which all tests of the file share. */
  folder!: TemporaryFolder;
  repository!: TestRepository;
  #count = 0;

  async open(): Promise<void> {
    this.folder = await temporaryFolder();
    mkdirSync(this.root);
  }

  async close(): Promise<void> {
    await this.folder[Symbol.asyncDispose]();
  }

  next(): void {
    this.#count += 1;
    this.repository = new TestRepository(this.root, this.repositoryName);
  }

  /** Replaces the repository. */
  replaceRepository(options: TestRepositoryOptions): void {
    rmSync(this.repository.path, { recursive: true });
    this.repository = new TestRepository(this.root, this.repositoryName, options);
  }

  /** The controller's state folder. */
  get stateDir(): string {
    return this.file('state');
  }

  /** A path for this test only. */
  file(name: string): string {
    return join(this.folder.path, `${name}-${this.#count}`);
  }

  get root(): string {
    return this.folder.file('repositories');
  }

  /** The name of a link to the repository, below the root: git and the controller treat it as another repository. */
  cloneOf(name: string): string {
    const link = `${this.#count}-${name}.git`;
    symlinkSync(this.repository.path, join(this.root, link));
    return link;
  }

  get repositoryName(): string {
    return `${this.#count}.git`;
  }
}

class ServedRepositoryFixture extends RepositoryFixture {
  server!: GitServer;

  override async open(): Promise<void> {
    await super.open();
    this.server = await GitServer.start({ root: this.root });
  }

  override async close(): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await super.close();
  }

  /** The repository's URL. */
  get url(): string {
    return this.server.url(this.repositoryName);
  }
}
