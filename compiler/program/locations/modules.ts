/** Resolves imports between the files of a program. */
import { dirname, extname, resolve } from 'node:path';
import type ts from 'typescript';
import type { SynthesizedProgram } from '../synthesized.ts';
import { type Binding, findStatementBinding } from './bindings.ts';
import type { TypeScript } from './load-typescript.ts';
import type { ParsedFile, ProgramFiles } from './program-files.ts';

/** What a file exports under a name: an expression, a function or a class. */
export interface Export {
  readonly file: ParsedFile;
  readonly node: ts.Expression | ts.FunctionDeclaration | ts.ClassLikeDeclaration;
  /** Names of members that lead from the exported value to the requested one. */
  readonly steps: readonly (string | number)[];
}

/** See `SynthesizedProgram.imports`. */
export type Imports = NonNullable<SynthesizedProgram['imports']>;

/** Limit for modules that re-export from each other endlessly. */
const MAX_HOPS = 20;

export class Modules {
  readonly #files: ProgramFiles;
  readonly #inputs: ReadonlySet<string>;
  readonly #imports: Imports;

  constructor(files: ProgramFiles, inputs: readonly string[], imports: Imports = {}) {
    this.#files = files;
    this.#inputs = new Set(inputs);
    this.#imports = imports;
  }

  /**
   * The export that an import refers to; undefined for packages, and when unknown.
   * @param name as exported; `*` for the whole module
   */
  findExport(from: ParsedFile, specifier: string, name: string, hops = 0): Export | undefined {
    const path = this.#resolve(from.path, specifier);
    const file = path === undefined ? undefined : this.#files.parse(path);
    const { typescript } = this.#files;
    if (file === undefined || typescript === undefined || hops > MAX_HOPS) return undefined;
    if (extname(file.path) === '.json') {
      const [value] = file.tree.statements;
      return value !== undefined && typescript.isExpressionStatement(value)
        ? { file, node: value.expression, steps: splitSteps(name) }
        : undefined;
    }
    for (const statement of file.tree.statements) {
      const found = this.#findInStatement(file, statement, name, typescript, hops);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** A module's name as a member of an object, for `import * as` and `require`. */
  #findInStatement(
    file: ParsedFile,
    statement: ts.Statement,
    name: string,
    typescript: TypeScript,
    hops: number,
  ): Export | undefined {
    if (typescript.isExportAssignment(statement)) {
      const isWhole = statement.isExportEquals === true;
      if (isWhole) return { file, node: statement.expression, steps: splitSteps(name) };
      return name === 'default' ? { file, node: statement.expression, steps: [] } : undefined;
    }
    if (typescript.isExportDeclaration(statement)) return this.#findReexport(file, statement, name, typescript, hops);
    if (typescript.isExpressionStatement(statement))
      return findCommonJsExport(file, statement.expression, name, typescript);
    const modifiers = typescript.canHaveModifiers(statement) ? (typescript.getModifiers(statement) ?? []) : [];
    const has = (kind: ts.SyntaxKind) => modifiers.some(modifier => modifier.kind === kind);
    if (!has(typescript.SyntaxKind.ExportKeyword)) return undefined;
    if (has(typescript.SyntaxKind.DefaultKeyword)) {
      const isNode = typescript.isFunctionDeclaration(statement) || typescript.isClassDeclaration(statement);
      return isNode && name === 'default' ? { file, node: statement, steps: [] } : undefined;
    }
    return exportOfBinding(file, findStatementBinding(statement, name, typescript));
  }

  #findReexport(
    file: ParsedFile,
    { exportClause, moduleSpecifier }: ts.ExportDeclaration,
    name: string,
    typescript: TypeScript,
    hops: number,
  ): Export | undefined {
    const specifier =
      moduleSpecifier !== undefined && typescript.isStringLiteralLike(moduleSpecifier)
        ? moduleSpecifier.text
        : undefined;
    if (exportClause === undefined)
      return specifier === undefined || name === 'default'
        ? undefined
        : this.findExport(file, specifier, name, hops + 1);
    if (!typescript.isNamedExports(exportClause)) return undefined;
    const element = exportClause.elements.find(entry => entry.name.text === name);
    if (element === undefined) return undefined;
    const inner = (element.propertyName ?? element.name).text;
    if (specifier !== undefined) return this.findExport(file, specifier, inner, hops + 1);
    for (const statement of file.tree.statements) {
      const binding = findStatementBinding(statement, inner, typescript);
      if (binding === undefined || binding === 'unknown') continue;
      return binding.type === 'import'
        ? this.findExport(file, binding.specifier, binding.name, hops + 1)
        : exportOfBinding(file, binding);
    }
    return undefined;
  }

  #resolve(from: string, specifier: string): string | undefined {
    const known = this.#imports[from]?.[specifier];
    if (known !== undefined) return known;
    if (!specifier.startsWith('.')) return undefined;
    const base = resolve(dirname(from), specifier);
    const stem = base.replace(/\.([cm]?)js(x?)$/, '.$1ts$2');
    const tries = ['', '.ts', '.tsx', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json', '/index.ts', '/index.js'];
    return [stem, ...tries.map(end => `${base}${end}`)].find(path => this.#inputs.has(path));
  }
}

function exportOfBinding(file: ParsedFile, binding: Binding | 'unknown' | undefined): Export | undefined {
  if (binding === undefined || binding === 'unknown') return undefined;
  if (binding.type === 'value') return { file, node: binding.value, steps: binding.steps };
  return binding.type === 'function' || binding.type === 'class' ? { file, node: binding.node, steps: [] } : undefined;
}

/** The export that a statement `module.exports = value` or `exports.name = value` defines. */
function findCommonJsExport(
  file: ParsedFile,
  expression: ts.Expression,
  name: string,
  typescript: TypeScript,
): Export | undefined {
  if (!typescript.isBinaryExpression(expression)) return undefined;
  if (expression.operatorToken.kind !== typescript.SyntaxKind.EqualsToken) return undefined;
  const target = expression.left.getText(file.tree).replace(/^module\.exports\b/, 'exports');
  if (target === 'exports') return { file, node: expression.right, steps: splitSteps(name) };
  return target === `exports.${name}` ? { file, node: expression.right, steps: [] } : undefined;
}

function splitSteps(name: string): readonly string[] {
  return name === '*' || name === 'default' ? [] : [name];
}
