/** The CI file for a forge: that of `examples/ci`, without the jobs that need a tool lock or a matrix of callers. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readPackageFile } from '../package-files.ts';

export const FORGES = ['github', 'gitlab'] as const;

export type Forge = (typeof FORGES)[number];

export const FORGE_TITLES: Readonly<Record<Forge, string>> = { github: 'GitHub', gitlab: 'GitLab' };

/** The path at which each forge looks for the file, from the root of the repository. */
export const CI_PATHS: Readonly<Record<Forge, string>> = {
  github: '.github/workflows/lintel.yml',
  gitlab: '.gitlab-ci.yml',
};

/** Files that identify a forge. */
const SIGNS: Readonly<Record<Forge, readonly string[]>> = {
  github: ['.github'],
  gitlab: ['.gitlab-ci.yml', '.gitlab'],
};

/** The forge of a repository, by its files, otherwise by its remote; undefined when neither identifies one. */
export function detectForge(folder: string): Forge | undefined {
  return (
    FORGES.find(forge => SIGNS[forge].some(sign => existsSync(join(folder, sign)))) ??
    detectForgeOfRemote(readRemote(folder))
  );
}

/** The forge that the host of a remote shows, such as `git@gitlab.example.com:team/tools.git`. */
export function detectForgeOfRemote(remote: string): Forge | undefined {
  const [, host = ''] = /^(?:[a-z+]+:\/\/)?(?:[^@/]*@)?([^:/]+)/i.exec(remote) ?? [];
  return FORGES.find(forge => host.toLowerCase().includes(forge));
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

const EXAMPLES: Readonly<Record<Forge, { readonly file: string; readonly next: string }>> = {
  github: { file: 'github-actions.yml', next: '\n  access:\n' },
  gitlab: { file: 'gitlab-ci.yml', next: '\nlintel-access:\n' },
};

const TITLE = `# Checks the specs. Lintel has to be in package-lock.json: \`npm install --save-dev\` with its package.
# Jobs that compare who can reach what, and ask the backends, are in node_modules/lintel/examples/ci.
`;

export function formatCiFile(forge: Forge): string {
  const { file, next } = EXAMPLES[forge];
  const text = readPackageFile(`examples/ci/${file}`);
  const end = text.indexOf(next);
  const schedule = /\n {2}schedule:\n(?: {4}.*\n)+/;
  if (end === -1) throw new Error(`${file} has no job behind that of the check`);
  const job = text.slice(text.indexOf('\n') + 1, end).replace(schedule, '\n');
  return `${TITLE}${job.trimEnd()}\n`;
}
