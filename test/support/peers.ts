/**
 * Programs and packages that some tests need and that neither Node nor `npm ci` installs. Where one is missing, its tests are skipped and name
 * the installation command; with `LINTEL_REQUIRE_PEERS=1`, as in CI, they fail instead.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, type TestOptions, test } from 'vitest';
import { missingPackages } from '../peers/missing-packages.ts';

/** The name or full path of each program, and the Debian package that installs it. */
const PROGRAMS = {
  buildah: { program: 'buildah', install: 'buildah' },
  chromium: { program: 'chromium', install: 'chromium' },
  'docker-registry': { program: 'docker-registry', install: 'docker-registry' },
  fish: { program: 'fish', install: 'fish' },
  gpg: { program: 'gpg', install: 'gnupg' },
  lua: { program: 'lua5.1', install: 'lua5.1' },
  mmdebstrap: { program: 'mmdebstrap', install: 'mmdebstrap' },
  nvim: { program: 'nvim', install: 'neovim' },
  // Also `go install github.com/prometheus/prometheus/cmd/promtool@latest`.
  promtool: { program: 'promtool', install: 'prometheus' },
  'redis-sentinel': { program: 'redis-sentinel', install: 'redis-sentinel' },
  'redis-server': { program: 'redis-server', install: 'redis-server' },
  // Gives a program a terminal.
  script: { program: 'script', install: 'bsdutils' },
  ssh: { program: 'ssh', install: 'openssh-client' },
  'ssh-keygen': { program: 'ssh-keygen', install: 'openssh-client' },
  // Debian installs it outside of users' PATH, and it demands to be called by its full path.
  sshd: { program: '/usr/sbin/sshd', install: 'openssh-server' },
  zsh: { program: 'zsh', install: 'zsh' },
} as const;

/** Packages of the repository's workspaces, which `npm run peers` installs. */
type PeerPackage =
  | '@11ty/eleventy'
  | '@kubernetes/client-node'
  | 'axe-core'
  | 'cdk8s-cli'
  | 'cdk8s-plus-33'
  | 'dependency-cruiser'
  | 'jest'
  | 'minisearch'
  | 'playwright-core'
  | 'postject'
  | 'simple-git'
  | 'vscode-languageclient';

export type Peer = keyof typeof PROGRAMS | PeerPackage;

/** Marks the end of a skipped test's title, for the reporter that counts reasons. */
export const NEEDS = /\[needs ([^\]]+)\]/;

function isInstalled(program: string): boolean {
  const folders = program.startsWith('/') ? [''] : (process.env.PATH ?? '').split(delimiter);
  return folders.some(folder => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function isProgram(name: Peer): name is keyof typeof PROGRAMS {
  return name in PROGRAMS;
}

/** The missing peers among `names`, as in `sshd (apt-get install openssh-server)`; undefined when all are installed. */
export function missingPeers(names: readonly Peer[]): string | undefined {
  const packages = new Set(missingPackages());
  const missing = names.filter(name => (isProgram(name) ? !isInstalled(PROGRAMS[name].program) : packages.has(name)));
  if (missing.length === 0) return undefined;
  const programs = [...new Set(missing.filter(isProgram).map(name => PROGRAMS[name].install))];
  const steps = [
    ...(programs.length > 0 ? [`apt-get install ${programs.join(' ')}`] : []),
    ...(missing.every(isProgram) ? [] : ['npm run peers']),
  ];
  return `${missing.join(', ')} (${steps.join(', ')})`;
}

type Body = () => void | Promise<void>;

/** `describe` and `test` for cases that need all of `names`. */
export function withPeers(...names: Peer[]) {
  const missing = missingPeers(names);
  const titled = (title: string) => `${title} [needs ${missing}]`;
  const fail = () => {
    throw new Error(`LINTEL_REQUIRE_PEERS=1, and a program that this test needs is missing: ${missing}`);
  };
  const required = process.env.LINTEL_REQUIRE_PEERS === '1';
  return {
    describe(title: string, body: () => void): void {
      if (missing === undefined) describe(title, body);
      else if (required) test(titled(title), fail);
      else describe.skip(titled(title), body);
    },
    test(title: string, body: Body, options: TestOptions = {}): void {
      if (missing === undefined) test(title, options, body);
      else if (required) test(titled(title), fail);
      else test.skip(titled(title), body);
    },
  };
}

/**
 * `describe` and `test` for cases that also mount folders and change the user. No installation gives these rights: without them, the cases are
 * skipped even with `LINTEL_REQUIRE_PEERS=1`.
 */
export function asRoot(...names: Peer[]) {
  if (process.getuid?.() === 0 && spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']).status === 0)
    return withPeers(...names);
  return {
    describe(title: string, body: () => void): void {
      describe.skip(`${title} [needs root and its namespaces]`, body);
    },
  };
}
