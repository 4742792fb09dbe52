/**
 * Checks the types of one program with the TypeScript of its project, and writes what it finds as JSON. The options come from the nearest
 * `tsconfig.json`; the files are the program's, plus the declaration files that the configuration names.
 */
import { createRequire, enableCompileCache } from 'node:module';
import { dirname, join } from 'node:path';
import type * as TypeScript from 'typescript';
import { isJavaScript } from '../source/is-program.ts';
import type { TypeDiagnostic } from './check-types.ts';
import { ALWAYS, DEFAULTS } from './type-options.ts';
import { findTypeScriptConfig } from './typescript-config.ts';

// TypeScript is megabytes of code, and loading it takes longer than most checks.
enableCompileCache();

const [typescript = '', entry = ''] = process.argv.slice(2);
const ts = createRequire(import.meta.url)(typescript) as typeof TypeScript;

function main(): readonly TypeDiagnostic[] {
  const { options, declarations, mistakes } = readConfiguration();
  // Modified in place: a copy would lose its source file, to which errors refer.
  Object.assign(options, ALWAYS);
  // A JavaScript file is checked only if the configuration or the file itself requests it.
  if (isJavaScript(entry)) options.allowJs = true;
  const program = ts.createProgram({ rootNames: [entry, ...declarations], options });
  const own = program.getSourceFiles().filter(({ fileName, isDeclarationFile }) => {
    return !isDeclarationFile && !/[\\/]node_modules[\\/]/.test(fileName);
  });
  const found = [
    ...mistakes,
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...own.flatMap(file => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ];
  return found.filter(({ category }) => category === ts.DiagnosticCategory.Error).map(toTypeDiagnostic);
}

function getDefaultOptions(): TypeScript.CompilerOptions {
  return ts.convertCompilerOptionsFromJson(DEFAULTS, dirname(entry)).options;
}

function readConfiguration() {
  const file = findTypeScriptConfig(entry);
  if (file === undefined) {
    const types = ts.sys.directoryExists(join(dirname(entry), 'node_modules/@types/node')) ? ['node'] : [];
    return { options: { ...getDefaultOptions(), types }, declarations: [], mistakes: [] };
  }
  const unreadable: TypeScript.Diagnostic[] = [];
  const parsed = ts.getParsedCommandLineOfConfigFile(file, ALWAYS, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: diagnostic => unreadable.push(diagnostic),
  });
  const { options = getDefaultOptions(), fileNames = [], errors = [] } = parsed ?? {};
  return {
    options,
    declarations: fileNames.filter(name => /\.d\.[cm]?ts$/.test(name)),
    // A configuration whose patterns match no file is fine: the program is the file.
    mistakes: [...unreadable, ...errors].filter(({ code }) => code !== 18002 && code !== 18003),
  };
}

function toTypeDiagnostic({ code, messageText, file, start = 0, length = 0 }: TypeScript.Diagnostic): TypeDiagnostic {
  const message = ts.flattenDiagnosticMessageText(messageText, '; ').replace(/;\s+/g, '; ');
  return { code, message, start, length, ...(file && { file: ts.sys.resolvePath(file.fileName) }) };
}

process.stdout.write(JSON.stringify(main()));
