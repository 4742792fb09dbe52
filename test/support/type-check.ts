/** Type-checks texts as in a project outside of this repository, with all strict options and without writing files. */
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  lib: ['lib.es2024.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  customConditions: ['lintel-source'],
  types: ['node'],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  isolatedDeclarations: true,
  declaration: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
};

export interface TypeCheckOptions {
  /** The file for `lintel/cdk8s`, from the root of the repository. */
  readonly library?: string;
  /** Whether only `strict` is on, as in most projects. */
  readonly isPlain?: boolean;
}

/** Parsed libraries, which take most of the time. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** Errors as `app.ts:3 TS2322 the first line of the message`, for texts by file name. */
export function typeErrors(texts: Readonly<Record<string, string>>, options: TypeCheckOptions = {}): string[] {
  const library = options.library ?? 'compiler/cdk8s/index.ts';
  const plain = { noUncheckedIndexedAccess: false, exactOptionalPropertyTypes: false, isolatedDeclarations: false };
  const compilerOptions = {
    ...OPTIONS,
    ...(options.isPlain && plain),
    paths: { 'lintel/cdk8s': [`${ROOT}${library}`] },
  };
  // A folder next to the sources, so that their packages are found.
  const folder = `${ROOT}test/.typed/`;
  const host = ts.createCompilerHost(compilerOptions);
  const { getSourceFile, fileExists, readFile } = host;
  const textOf = (file: string) => {
    const name = file.startsWith(folder) ? file.slice(folder.length) : undefined;
    return name !== undefined && Object.hasOwn(texts, name) ? texts[name] : undefined;
  };
  const { directoryExists } = host;
  host.directoryExists = name => `${name}/`.startsWith(folder) || directoryExists?.call(host, name) === true;
  host.fileExists = file => textOf(file) !== undefined || fileExists.call(host, file);
  host.readFile = file => textOf(file) ?? readFile.call(host, file);
  host.getSourceFile = (file, languageVersion, ...others) => {
    const text = textOf(file);
    if (text !== undefined) return ts.createSourceFile(file, text, languageVersion, true);
    if (!parsed.has(file)) parsed.set(file, getSourceFile.call(host, file, languageVersion, ...others));
    return parsed.get(file);
  };
  const program = ts.createProgram(
    Object.keys(texts).map(name => `${folder}${name}`),
    compilerOptions,
    host,
  );
  // Only the texts are checked here: Lintel's own sources are checked elsewhere, with fewer options.
  const sources = program.getSourceFiles().filter(({ fileName }) => textOf(fileName) !== undefined);
  const found = [
    ...program.getGlobalDiagnostics(),
    ...sources.flatMap(source => ts.getPreEmitDiagnostics(program, source)),
  ];
  return found.map(({ file, start = 0, code, messageText }) => {
    const name = file?.fileName.replace(folder, '') ?? '';
    const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1;
    return `${name}:${line} TS${code} ${ts.flattenDiagnosticMessageText(messageText, '\n').split('\n')[0]}`;
  });
}
