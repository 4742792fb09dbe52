/** The CI file for a forge: that of `examples/ci`, without the jobs that need a tool lock or a matrix of callers. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readPackageFile } from '../package-files.ts';

export const FORGES = ['github', 'gitlab', 'gitea'] as const;

export type Forge = (typeof FORGES)[number];

export const FORGE_TITLES: Readonly<Record<Forge, string>> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  gitea: 'Gitea or Forgejo',
};

/** The path at which a forge looks for the file, from the root of the repository. */
export function findCiPath(forge: Forge, folder: string): string {
  // Forgejo reads Gitea's folder only in a repository without one of its own.
  if (forge === 'gitea' && existsSync(join(folder, '.forgejo'))) return '.forgejo/workflows/lintel.yml';
  return CI_PATHS[forge];
}

const CI_PATHS: Readonly<Record<Forge, string>> = {
  github: '.github/workflows/lintel.yml',
  gitlab: '.gitlab-ci.yml',
  gitea: '.gitea/workflows/lintel.yml',
};

/** Files that identify a forge. */
const SIGNS: Readonly<Record<Forge, readonly string[]>> = {
  // First: such repositories often have `.github` too, for their mirror.
  gitea: ['.gitea', '.forgejo'],
  github: ['.github'],
  gitlab: ['.gitlab-ci.yml', '.gitlab'],
};

/** Parts of host names that identify a forge. */
const HOSTS: Readonly<Record<Forge, readonly string[]>> = {
  github: ['github'],
  gitlab: ['gitlab'],
  gitea: ['gitea', 'forgejo', 'codeberg'],
};

/** The forge of a repository, by its files, otherwise by its remote; undefined when neither identifies one. */
export function detectForge(folder: string): Forge | undefined {
  return (
    (Object.keys(SIGNS) as Forge[]).find(forge => SIGNS[forge].some(sign => existsSync(join(folder, sign)))) ??
    detectForgeOfRemote(readRemote(folder))
  );
}

/** The forge that the host of a remote shows, such as `git@gitlab.example.com:team/tools.git`. */
export function detectForgeOfRemote(remote: string): Forge | undefined {
  const [, host = ''] = /^(?:[a-z+]+:\/\/)?(?:[^@/]*@)?([^:/]+)/i.exec(remote) ?? [];
  return FORGES.find(forge => HOSTS[forge].some(name => host.toLowerCase().includes(name)));
}

/** Empty without Git, a repository or a remote. */
function readRemote(folder: string): string {
  try {
    return execFileSync('git', ['config', '--get', 'remote.origin.url'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}

/** `next` is the start of the first job that a new repository does not need. */
const EXAMPLES: Readonly<Record<Forge, { readonly file: string; readonly next?: string }>> = {
  github: { file: 'github-actions.yml', next: '\n  access:\n' },
  gitlab: { file: 'gitlab-ci.yml', next: '\nlintel-access:\n' },
  gitea: { file: 'gitea-actions.yml' },
};

const TITLE = `# Checks the specs. Lintel has to be in package-lock.json: \`npm install --save-dev\` with its package.
# Jobs that compare who can reach what, and ask the backends, are in node_modules/lintel/examples/ci.
`;

export function formatCiFile(forge: Forge): string {
  const { file, next } = EXAMPLES[forge];
  const text = readPackageFile(`examples/ci/${file}`);
  const end = next === undefined ? text.length : text.indexOf(next);
  const schedule = /\n {2}schedule:\n(?: {4}.*\n)+/;
  if (end === -1) throw new Error(`${file} has no job behind that of the check`);
  const job = text.slice(text.indexOf('\n') + 1, end).replace(schedule, '\n');
  return `${TITLE}${job.trimEnd()}\n`;
}
