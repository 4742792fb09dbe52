/** `lintel init`: the files that a repository of specs starts with. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { cannotWrite } from '../emit/cannot-write.ts';
import { ask, canPrompt, type Prompt } from '../starter/ask.ts';
import { detectForge, FORGES, type Forge } from '../starter/ci-file.ts';
import { toObjectName } from '../starter/object-name.ts';
import { GATEWAY_FILE } from '../starter/project-files.ts';
import { serverProblem } from '../starter/server-problem.ts';
import { isProgram, type StarterServer } from '../starter/starter-server.ts';
import { type Start, startingFiles } from '../starter/starting-files.ts';
import { nameOfUrl } from '../starter/url-name.ts';
import { urlSecret } from '../starter/url-secret.ts';
import { UsageError } from '../usage-error.ts';

export const CI_CHOICES = [...FORGES, 'none'] as const;

type Ci = (typeof CI_CHOICES)[number];

export interface InitOptions {
  /** Ask nothing. */
  readonly yes?: boolean;
  readonly name?: string;
  /** URL of a first server. */
  readonly server?: string;
  readonly ci?: Ci;
}

/** Stands for a server until the operator writes the URL of one. */
const SAMPLE_URL = 'https://mcp.example.com/mcp';

/**
 * Writes what is not there yet of specs, configuration, `.gitignore` and a check for CI. Asks on a terminal only. Returns the exit code.
 *
 * @throws UsageError for an answer that cannot be used, and where nothing can be written
 */
export async function init(given: string | undefined, options: InitOptions): Promise<number> {
  const folder = resolve(given ?? '.');
  if (existsSync(folder) && !statSync(folder).isDirectory())
    throw new UsageError(`${given} is a file: give a folder, which may be a new one`);
  const start = await startOf(folder, options);
  const shown = (path: string) => relative(process.cwd(), join(folder, path));
  const written: string[] = [];
  for (const { path, text, remark } of startingFiles(folder, start)) {
    const target = join(folder, path);
    if (await writeNew(target, text)) {
      written.push(path);
      say(`wrote ${shown(path)}`);
    } else {
      const existing = statSync(target).isFile() ? readFileSync(target, 'utf8') : '';
      say(`${shown(path)} exists and is left as it is${remark(existing)}`);
    }
  }
  const isSample = !isProgram(start.server) && start.server.url === SAMPLE_URL && written.includes(GATEWAY_FILE);
  say('', nextSteps(isSample, relative(process.cwd(), folder)));
  return 0;
}

async function startOf(folder: string, options: InitOptions): Promise<Start> {
  const isRoot = isRootOfRepository(folder);
  if (options.ci !== undefined && options.ci !== 'none' && !isRoot)
    throw new UsageError('--ci: forges read the root of a repository only: run it there, or leave --ci out');
  const preset = {
    name: options.name ?? toObjectName(basename(folder), 'gateway'),
    server: options.server ?? SAMPLE_URL,
    ci: options.ci ?? (isRoot ? (detectForge(folder) ?? 'none') : 'none'),
  };
  const problems = { name: nameProblem(preset.name), server: urlProblem(preset.server) };
  for (const [option, problem] of Object.entries(problems)) {
    if (problem !== undefined) throw new UsageError(`--${option}: ${problem}`);
  }
  const isInteractive = options.yes !== true && canPrompt();
  const questions: readonly (Prompt & { readonly key: keyof typeof preset })[] = [
    { key: 'name', text: 'Name of the gateway?', otherwise: preset.name, problem: nameProblem },
    { key: 'server', text: 'URL of an MCP server to put behind it?', otherwise: preset.server, problem: urlProblem },
    { key: 'ci', text: `Check in CI (${CI_CHOICES.join(', ')})?`, otherwise: preset.ci, problem: ciProblem },
  ];
  const asked = isInteractive
    ? questions.filter(({ key }) => options[key] === undefined && (key !== 'ci' || isRoot))
    : [];
  const answers = await ask(asked);
  const chosen = { ...preset, ...Object.fromEntries(asked.map(({ key }, index) => [key, answers[index]])) };
  const forge = chosen.ci === 'none' ? undefined : (chosen.ci as Forge);
  return { name: chosen.name, server: serverAt(chosen.server), forge };
}

/** Also outside of any: there may be one soon. */
function isRootOfRepository(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true;
  for (let at = dirname(folder); ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return false;
    if (at === dirname(at)) return true;
  }
}

function nameProblem(name: string): string | undefined {
  if (toObjectName(name, '') === name) return undefined;
  return 'a name has small letters, digits and hyphens, begins with a letter, and is no longer than 40 characters';
}

function urlProblem(url: string): string | undefined {
  return urlSecret(url, new Set()) ?? serverProblem(serverAt(url));
}

function ciProblem(answer: string): string | undefined {
  return (CI_CHOICES as readonly string[]).includes(answer) ? undefined : `one of ${CI_CHOICES.join(', ')}`;
}

function serverAt(url: string): StarterServer {
  const transport = URL.parse(url)?.pathname.endsWith('/sse') ? 'sse' : 'streamable-http';
  return { name: nameOfUrl(url), url, transport, plainHeaders: {}, secretHeaders: [], tools: undefined };
}

/** Whether the file was written: one that is there, or a link, is left alone. */
async function writeNew(target: string, text: string): Promise<boolean> {
  try {
    await mkdir(dirname(target), { recursive: true });
    await using file = await open(target, 'wx');
    await file.writeFile(text);
    return true;
  } catch (error) {
    // A link to nothing is not there, and neither is what would lie below a file.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && existsSync(target)) return false;
    throw cannotWrite(target, error);
  }
}

function nextSteps(isSample: boolean, folder: string): string {
  const enter = folder === '' ? '' : `  cd ${folder}\n`;
  const sample = isSample ? `  put the URL of your server into ${GATEWAY_FILE}\n` : '';
  return `Next:
${enter}${sample}  npx lintel check   finds what is wrong, as CI does
  npx lintel lock    asks the servers what they offer, and writes it down
  npx lintel dev     serves the gateway, and follows your changes`;
}

function say(...lines: readonly string[]): void {
  process.stdout.write(lines.map(line => `${line}\n`).join(''));
}
