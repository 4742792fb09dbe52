/** `lintel init`: creates the initial files of a repository of specs. */

import { existsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { VERSION } from '#schemas';
import { makeFolder } from '#shared/util';
import { listClientFiles, listUserClientFiles } from '../connect/index.ts';
import { createWriteError } from '../emit/write-error.ts';
import {
  type ClientServers,
  formatEnvExample,
  listSecretSteps,
  type Refusal,
  readClientServers,
  readServersOfClient,
  renderPlan,
} from '../import/index.ts';
import { getOwnCommand } from '../own-command.ts';
import { readOwnText } from '../source/read-own-text.ts';
import { ask, canPrompt, type Prompt } from '../starter/ask.ts';
import { detectForge, FORGE_TITLES, FORGES, type Forge, findCiPath } from '../starter/ci-file.ts';
import { formatNextSteps, type Step } from '../starter/next-steps.ts';
import { toObjectName } from '../starter/object-name.ts';
import { GATEWAY_FILE, SPECS } from '../starter/project-files.ts';
import { createRemoteServer, DESCRIPTION, SAMPLE_URL } from '../starter/sample.ts';
import { findServerProblem } from '../starter/server-problem.ts';
import type { StarterServer } from '../starter/starter-server.ts';
import { hasEntries, listStartingFiles } from '../starter/starting-files.ts';
import { findUrlSecret } from '../starter/url-secret.ts';
import { formatList } from '../text/describe.ts';
import { UsageError } from '../usage-error.ts';
import { findTerminalColumns } from './terminal-columns.ts';

export const CI_CHOICES = [...FORGES, 'none'] as const;

type Ci = (typeof CI_CHOICES)[number];

export interface InitOptions {
  /** Asks no questions. */
  readonly yes?: boolean;
  readonly name?: string;
  /** URL of the first server. */
  readonly server?: string;
  /** Client file whose servers are moved behind the gateway. */
  readonly from?: string;
  readonly ci?: Ci;
}

/** The choices of the person, or the defaults. */
interface Start {
  /** The name of the gateway. */
  readonly name: string;
  readonly servers: StarterServer | ClientServers;
  readonly forge: Forge | undefined;
  /** What was left unchanged; each remark is one sentence. */
  readonly remarks: readonly string[];
}

/** The answer that puts a placeholder in place of a first server. */
const NO_SERVER = 'none';

const PARTLY = 1;

/**
 * Writes specs, a configuration, a `.gitignore` and a CI check, each unless it exists. Asks questions on a terminal only. Returns the exit code: 1
 * when something in a client's file could not be converted.
 *
 * @throws UsageError for an invalid answer, and when nothing can be written
 */
export async function init(folderArgument: string | undefined, options: InitOptions): Promise<number> {
  const folder = resolve(folderArgument ?? '.');
  if (existsSync(folder) && !statSync(folder).isDirectory())
    throw new UsageError(`${folderArgument} is a file: give a folder, which may be a new one`);
  const { name, servers, forge, remarks } = await chooseStart(folder, options);
  const shown = (path: string) => relative(process.cwd(), join(folder, path));
  const plan = isOfClient(servers) ? servers.plan : undefined;
  const files = listStartingFiles(folder, {
    name,
    description: isOfClient(servers) ? `Imported from ${servers.file}.` : DESCRIPTION,
    servers: isOfClient(servers) ? servers.plan.carried.map(({ server }) => server) : [servers],
    environment: plan && (formatEnvExample(plan, '') || undefined),
    forge,
  });
  if (isOfClient(servers)) {
    const shownFiles = servers.files.map(({ file, found }) => ({ file, form: found.form }));
    print(renderPlan({ ...servers.plan, files: shownFiles }, findTerminalColumns(process.stdout)));
  }
  const writtenFiles: string[] = [];
  for (const { path, text, remark } of files) {
    const target = join(folder, path);
    if (await writeNew(target, text)) {
      writtenFiles.push(path);
      print(`wrote ${shown(path)}`);
    } else if (path === SPECS) {
      print(`${shown(path)} exists and is left as it is: \`lintel import\` adds servers of a client`);
    } else {
      const existing = statSync(target).isFile() ? readOwnText(target) : '';
      print(`${shown(path)} exists and is left as it is${remark(existing)}`);
    }
  }
  const isSample =
    !isOfClient(servers) && 'url' in servers && servers.url === SAMPLE_URL && writtenFiles.includes(GATEWAY_FILE);
  if (!isSample) for (const remark of remarks) print(remark);
  process.stdout.write(
    formatNextSteps(listNextSteps({ servers, forge }, folder, isSample), findTerminalColumns(process.stdout)),
  );
  const remaining = isOfClient(servers) ? listLostParts(servers) : isSample ? remarks : [];
  for (const value of remaining) process.stderr.write(`lintel: ${value}\n`);
  return remaining.length > 0 ? PARTLY : 0;
}

/**
 * The parts of a client's file that were not converted. They are repeated at the end, because a person may have missed them among the messages about
 * success.
 */
function listLostParts({ file, plan: { notCarried } }: ClientServers): readonly string[] {
  const locations = notCarried.map(({ place: location }) => location);
  return locations.length === 0
    ? []
    : [`not carried over from ${file}: ${formatList(locations)}; the reasons are above`];
}

function isOfClient(servers: Start['servers'] | Refusal): servers is ClientServers {
  return 'plan' in servers;
}

async function chooseStart(folder: string, options: InitOptions): Promise<Start> {
  const isRoot = isRootOfRepository(folder);
  // Next to existing specs no gateway is created, so no questions about a new gateway are asked.
  const hasSpecs = hasEntries(join(folder, SPECS));
  if (options.server !== undefined && hasSpecs)
    throw new UsageError(`--server: there are specs in ${SPECS} already: add an MCPServerEntry there`);
  if (options.ci !== undefined && options.ci !== 'none' && !isRoot)
    throw new UsageError('--ci: forges read the root of a repository only: run it there, or leave --ci out');
  const name = options.name ?? toObjectName(basename(folder), 'gateway');
  const problems = {
    name: findNameProblem(name),
    server: options.server === undefined ? undefined : findUrlProblem(options.server),
  };
  for (const [option, problem] of Object.entries(problems)) {
    if (problem !== undefined) throw new UsageError(`--${option}: ${problem}`);
  }
  const isInteractive = options.yes !== true && canPrompt();
  const offer = offerIn(folder, name, options, isInteractive);
  const [first] = offer.files;
  const preset = {
    name,
    servers: options.from ?? options.server ?? first?.file ?? SAMPLE_URL,
    ci: options.ci ?? (isRoot ? (detectForge(folder) ?? 'none') : 'none'),
  };
  const hasCiFile = preset.ci !== 'none' && existsSync(join(folder, findCiPath(preset.ci, folder)));
  const chosen = (answer: string) => chooseServers(answer, offer.files, folder, name);
  const questions: readonly (Prompt & { readonly key: keyof typeof preset; readonly isAnswered: boolean })[] = [
    {
      key: 'name',
      text: 'Name of the gateway?',
      otherwise: preset.name,
      problem: findNameProblem,
      isAnswered: options.name !== undefined || hasSpecs,
    },
    {
      key: 'servers',
      text: formatServersQuestion(offer.files),
      otherwise: preset.servers === SAMPLE_URL ? NO_SERVER : preset.servers,
      problem: answer => (answer === NO_SERVER ? undefined : findProblem(chosen(answer))),
      isAnswered: options.server !== undefined || options.from !== undefined || hasSpecs,
    },
    {
      key: 'ci',
      text: `Check in CI (${CI_CHOICES.join(', ')})?`,
      otherwise: preset.ci,
      problem: findCiProblem,
      isAnswered: options.ci !== undefined || !isRoot || hasCiFile,
    },
  ];
  const unanswered = isInteractive ? questions.filter(({ isAnswered }) => !isAnswered) : [];
  const answers = await ask(unanswered);
  const all = { ...preset, ...Object.fromEntries(unanswered.map(({ key }, index) => [key, answers[index]])) };
  const servers = all.servers === NO_SERVER ? createRemoteServer(SAMPLE_URL) : chosen(all.servers);
  const problem = findProblem(servers);
  if (problem !== undefined) throw new UsageError(`--from: ${problem}`);
  const forge = all.ci === 'none' ? undefined : (all.ci as Forge);
  return { name: all.name, servers: servers as Start['servers'], forge, remarks: offer.remarks };
}

interface Offer {
  readonly files: readonly (ClientServers & { readonly client: string })[];
  readonly remarks: readonly string[];
}

/**
 * Client files whose servers could be moved behind the gateway. Files in the person's home are read only when the person is asked. None is
 * offered next to existing specs, where no new gateway is created.
 */
function offerIn(folder: string, name: string, { server, from }: InitOptions, isInteractive: boolean): Offer {
  const hasSpecs = hasEntries(join(folder, SPECS));
  if (from !== undefined && hasSpecs)
    throw new UsageError(`--from: there are specs in ${SPECS} already: \`lintel import ${from}\` adds the servers`);
  if (hasSpecs || server !== undefined || from !== undefined) return { files: [], remarks: [] };
  const ofProject = readClientServers(listClientFiles(folder), folder, name);
  const ofPerson = isInteractive ? readClientServers(listUserClientFiles(), folder, name) : [];
  const remarks = ofProject.flatMap(value =>
    'problem' in value && value.problem !== undefined ? [`${value.file} is not imported: ${value.problem}`] : [],
  );
  return { files: [...ofProject, ...ofPerson].flatMap(value => (isOfClient(value) ? value : [])), remarks };
}

function formatServersQuestion(files: Offer['files']): string {
  if (files.length === 0) return 'URL of an MCP server, or file of a client to import?';
  const width = Math.max(...files.map(({ file }) => file.length));
  const lines = files.map(({ file, client, plan }) => {
    const names = plan.carried.map(({ server }) => server.name);
    return `  ${file.padEnd(width)}  ${client}: ${formatList(names)}\n`;
  });
  return `Clients know these servers:\n${lines.join('')}Which file to import, or the URL of a server, or ${NO_SERVER}?`;
}

function chooseServers(
  answer: string,
  files: Offer['files'],
  folder: string,
  name: string,
): StarterServer | ClientServers | Refusal {
  const offered = files.find(({ file }) => file === answer);
  if (offered !== undefined) return offered;
  if (/^https?:/i.test(answer)) {
    const problem = findUrlProblem(answer);
    return problem === undefined ? createRemoteServer(answer) : { file: answer, problem };
  }
  const path = answer.replace(/^~(?=\/)/, homedir());
  if (!existsSync(path))
    return {
      file: answer,
      problem: `${answer} is neither the URL of a server nor a file: give an http or https URL, or the path of a file such as mcp.json`,
    };
  return readServersOfClient(path, folder, name);
}

function findProblem(servers: StarterServer | ClientServers | Refusal): string | undefined {
  if (!('problem' in servers)) return undefined;
  return servers.problem ?? `${servers.file} has no servers`;
}

/** Whether a folder is the root of a Git repository. Also true outside of any repository, since the folder may become one later. */
function isRootOfRepository(folder: string): boolean {
  const repository = findRepository(folder);
  return repository === undefined || repository === folder;
}

/** The folder of the repository that contains a folder. */
function findRepository(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (at === dirname(at)) return undefined;
  }
}

function findNameProblem(name: string): string | undefined {
  if (toObjectName(name, '') === name) return undefined;
  return 'a name has small letters, digits and hyphens, begins with a letter, and is no longer than 40 characters';
}

function findUrlProblem(url: string): string | undefined {
  return findUrlSecret(url, new Set()) ?? findServerProblem(createRemoteServer(url));
}

function findCiProblem(answer: string): string | undefined {
  return (CI_CHOICES as readonly string[]).includes(answer) ? undefined : `one of ${CI_CHOICES.join(', ')}`;
}

/** Whether the file was written; an existing file or link is left unchanged. */
async function writeNew(target: string, text: string): Promise<boolean> {
  try {
    await makeFolder(dirname(target));
    await using file = await open(target, 'wx');
    await file.writeFile(text);
    return true;
  } catch (error) {
    // Any other error is reported, for example for a dangling link or for a path below a file.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && existsSync(target)) return false;
    throw createWriteError(target, error);
  }
}

function listNextSteps(
  { servers, forge }: Pick<Start, 'servers' | 'forge'>,
  folder: string,
  isSample: boolean,
): readonly Step[] {
  const ignored = readOwnText(join(folder, '.gitignore'));
  const { steps, option } = listSecretSteps(
    isOfClient(servers) ? servers.plan : { carried: [], objects: [] },
    ignored,
    existsSync(join(folder, '.env')),
  );
  const here = relative(process.cwd(), folder);
  const command = getOwnCommand(here);
  return [
    ...(here === ''
      ? []
      : [[`cd ${/^[\w./-]+$/.test(here) ? here : `'${here.replaceAll("'", `'\\''`)}'`}`, ''] as const]),
    ...(forge === undefined || findRepository(folder) !== undefined
      ? []
      : [['git init', `${FORGE_TITLES[forge]} runs the check once this is a repository there`] as const]),
    ...(forge === undefined || existsSync(join(folder, 'package.json'))
      ? []
      : [
          [
            `npm install --save-dev ./lintel-${VERSION}.tgz`,
            'the CI job runs npm ci: commit package.json and package-lock.json',
          ] as const,
        ]),
    ...steps,
    ...(isSample ? [[`put the URL of your server into ${GATEWAY_FILE}`, ''] as const] : []),
    [`${command} check`, 'finds what is wrong, as CI does'],
    [`${command} lock${option}`, 'asks the servers what they offer, and writes it down'],
    [`${command} dev${option}`, 'serves the gateway, and follows your changes'],
    ...(isOfClient(servers)
      ? [
          [
            `${command} connect claude --write`,
            'shows it to a client: claude, cursor, vscode, codex and others',
          ] as const,
        ]
      : []),
  ];
}

function print(...lines: readonly string[]): void {
  process.stdout.write(lines.map(line => `${line}\n`).join(''));
}
