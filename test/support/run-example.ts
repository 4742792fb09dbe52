/** Runs the examples of codes that are files and commands, as a user does who copies them into a new folder. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Example } from '../../compiler/diagnostics/codes.ts';
import { usesObjects } from '../../compiler/diagnostics/example.ts';
import { DEFAULTS } from '../../compiler/program/type-options.ts';
import { CompileService } from '../../controller/compile/index.ts';
import { AROUND_EXAMPLES } from './code-examples.ts';
import { PROGRAM, ROOT, type TemporaryFolder, temporaryFolder } from './process.ts';

export interface ExampleOutcome {
  /** The severity and code of each finding, such as `error LNT1003`. */
  readonly findings: readonly string[];
  /** Whether the exit code is 0, or the controller would apply the folder. */
  readonly isGood: boolean;
  /** What was printed, for messages about failed tests. */
  readonly output: string;
}

/**
 * Runs the commands of an example. Without commands, the controller compiles the folder if a file is a GatewaySource; otherwise `lintel check`
 * checks the program `app.ts`, or the folder if there is no such program.
 */
export async function runExample(example: Example): Promise<ExampleOutcome> {
  await using folder = await temporaryFolder(usesObjects(example) ? { 'around.yaml': AROUND_EXAMPLES } : {});
  const files = example.flatMap(({ file, text }) => (file === undefined ? [] : [[file, text] as const]));
  await folder.write(Object.fromEntries(files));
  const isProgram = files.some(([file]) => file === 'app.ts');
  if (isProgram) await install(folder, files);
  const commands = example.find(({ language }) => language === 'sh')?.text;
  if (commands !== undefined) return await runCommands(folder, commands);
  const source = files.map(([, text]) => findGatewaySource(text)).find(found => found !== undefined);
  if (source !== undefined) return await compileAsController(folder, source);
  return await runCommands(folder, `npx lintel check ${isProgram ? 'app.ts' : '.'}`);
}

/** The packages of a project with programs, if the example has no `package.json`. */
const PACKAGES = { '@types/node': '*', cdk8s: '*', constructs: '*', esbuild: '*', lintel: '*', typescript: '*' };

/** The options of a project with programs, if the example has no `tsconfig.json`. */
const TYPES = { compilerOptions: { ...DEFAULTS, types: ['node'] } };

type Manifest = { readonly [group in 'dependencies' | 'devDependencies']?: { readonly [name: string]: string } };

/** Installs the packages of each `package.json` next to it. A version other than `*` is a copy with that version. */
async function install(folder: TemporaryFolder, files: readonly (readonly [string, string])[]): Promise<void> {
  const given = Object.fromEntries(files);
  const standard = { 'package.json': '{ "type": "module" }', 'tsconfig.json': JSON.stringify(TYPES) };
  await folder.write({ ...standard, ...given });
  const manifests = new Map<string, Manifest>([['package.json', { dependencies: PACKAGES }]]);
  for (const [file, text] of files) if (file.endsWith('package.json')) manifests.set(file, JSON.parse(text));
  for (const [file, { dependencies, devDependencies }] of manifests) {
    const modules = join(dirname(folder.file(file)), 'node_modules');
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      const target = join(modules, name);
      await mkdir(dirname(target), { recursive: true });
      if (name === 'lintel') await installLintel(target, dependencies !== PACKAGES);
      else if (version === '*') await symlink(join(ROOT, 'node_modules', name), target);
      else await copyPackage(name, target, version);
      // The program of esbuild is a package of its own.
      if (name === 'esbuild') await symlink(join(ROOT, 'node_modules/@esbuild'), join(modules, '@esbuild'));
    }
  }
}

/** @param isCopied if it must not find the packages of this repository */
async function installLintel(target: string, isCopied: boolean): Promise<void> {
  if (!isCopied) return symlink(ROOT, target);
  await cp(join(ROOT, 'dist'), join(target, 'dist'), { recursive: true });
  await cp(join(ROOT, 'package.json'), join(target, 'package.json'));
}

async function copyPackage(name: string, target: string, version: string): Promise<void> {
  await cp(await realpath(join(ROOT, 'node_modules', name)), target, { recursive: true });
  const manifest = join(target, 'package.json');
  await writeFile(manifest, JSON.stringify({ ...JSON.parse(await readFile(manifest, 'utf8')), version }));
}

/** Runs commands in a shell, up to the first that fails. There, `npx` starts the built programs. */
function runCommands(folder: TemporaryFolder, commands: string): Promise<ExampleOutcome> {
  const own = folder.file('node_modules/lintel/dist/lintel.js');
  const lintel = existsSync(own) ? own : PROGRAM.lintel;
  const npx = `npx() { program=$1; shift; case $program in
lintel) '${process.execPath}' '${lintel}' "$@";;
lintel-controller) '${process.execPath}' '${PROGRAM.controller}' "$@";;
*) echo "npx $program: not known to this test"; exit 64;; esac; }`;
  const person = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.com' };
  const committer = { GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.com' };
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, HOME: folder.path, GIT_CONFIG_NOSYSTEM: '1', ...person, ...committer };
  return new Promise(resolve => {
    execFile('sh', ['-ec', `${npx}\n${commands}`], { cwd: folder.path, env }, (error, stdout, stderr) => {
      const output = stdout + stderr;
      const found = output.matchAll(/\b(error|warning|hint)[[ ](LNT\d{4})\b/g);
      const findings = [...found].map(([, severity, code]) => `${severity} ${code}`);
      resolve({ findings, isGood: error === null, output });
    });
  });
}

interface GatewaySource {
  readonly kind: 'GatewaySource';
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: { readonly path?: string; readonly targetNamespace?: string };
}

function findGatewaySource(text: string): GatewaySource | undefined {
  if (!text.includes('kind: GatewaySource')) return undefined;
  const objects = parseAllDocuments(text).map(document => document.toJS() as { readonly kind: string });
  return objects.find((object): object is GatewaySource => object.kind === 'GatewaySource');
}

/** The folder is the checkout of the repository that the GatewaySource names. */
async function compileAsController(
  { path: folder }: TemporaryFolder,
  { metadata, spec: { path = '.', targetNamespace } }: GatewaySource,
): Promise<ExampleOutcome> {
  using service = new CompileService();
  const key = `${metadata.namespace}/${metadata.name}`;
  const defaultNamespace = targetNamespace ?? metadata.namespace;
  const request = {
    key,
    folder,
    path,
    defaultNamespace,
    targetNamespace,
    clusterTexts: new Map(),
    withExposure: false,
  };
  const { diagnostics, isGood } = await service.compile(request, new AbortController().signal);
  const findings = diagnostics.map(({ severity, code }) => `${severity} ${code}`);
  return { findings, isGood, output: JSON.stringify(diagnostics, undefined, 2) };
}
