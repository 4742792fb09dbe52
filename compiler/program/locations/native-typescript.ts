import type { ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import type ts from 'typescript';
import type { TypeScript } from './load-typescript.ts';

/** The parts of TypeScript 7 that replace the compiler's API: syntax trees from its own process, through functions marked as unstable. */
interface NativeTypeScript {
  readonly API: new (options: {
    readonly cwd: string;
    readonly fs: { readonly readFile: (file: string) => string | undefined };
  }) => {
    updateSnapshot(options: { readonly openProject: string }): {
      getProject(
        config: string,
      ): { readonly program: { getSourceFile(file: string): ts.SourceFile | undefined } } | undefined;
    };
    /** Leads to the process of TypeScript, which the package's types do not declare. */
    readonly client?: { readonly channel?: { readonly child?: ChildProcess } };
    close(): void;
  };
}

interface Syntax
  extends Pick<TypeScript, 'SyntaxKind' | 'isStringLiteral' | 'isNoSubstitutionTemplateLiteral' | 'isModifier'> {
  readonly isAccessorDeclaration: TypeScript['isAccessor'];
  readonly isClassLikeDeclaration: TypeScript['isClassLike'];
  readonly isFunctionLikeDeclaration: TypeScript['isFunctionLike'];
  readonly isTypeAssertion: TypeScript['isTypeAssertionExpression'];
}

/** A subpath of the project's TypeScript; Lintel's own version is older and lacks it. */
const UNSTABLE = 'typescript/unstable';

/** A single file without a project. */
const OPTIONS = { allowJs: true, noLib: true, noResolve: true, resolveJsonModule: true, types: [] };

/** A virtual file: TypeScript reads it through Lintel's callbacks. */
const CONFIG = '/lintel-places/tsconfig.json';

/**
 * The compiler's API on top of TypeScript 7, whose compiler is a native program. Everything else has the old names.
 * @param from a file in whose project it is installed
 * @throws any error of a version with another API
 */
export function loadNativeTypeScript(from: string): TypeScript {
  const require = createRequire(from);
  const { API } = require(`${UNSTABLE}/sync`) as NativeTypeScript;
  const syntax = require(`${UNSTABLE}/ast`) as Syntax;
  const parse = (path: string, text: string): ts.SourceFile => {
    const config = JSON.stringify({ compilerOptions: OPTIONS, files: [path] });
    const texts = new Map([
      [CONFIG, config],
      [path, text],
    ]);
    const api = new API({ cwd: '/', fs: { readFile: file => texts.get(file) } });
    try {
      const file = api.updateSnapshot({ openProject: CONFIG }).getProject(CONFIG)?.program.getSourceFile(path);
      if (file === undefined)
        throw new Error(`the TypeScript program that was created for ${path} does not contain the file`);
      return file;
    } finally {
      endQuietly(api.client?.channel?.child);
      api.close();
    }
  };
  const adapted: Partial<TypeScript> = {
    createSourceFile: (path, text) => parse(path, String(text)),
    forEachChild: (node, visit) => node.forEachChild(visit),
    canHaveModifiers: (node): node is ts.HasModifiers => 'modifiers' in node,
    getModifiers: node => node.modifiers?.filter(modifier => syntax.isModifier(modifier)) as ts.Modifier[] | undefined,
    isAccessor: syntax.isAccessorDeclaration,
    isClassLike: syntax.isClassLikeDeclaration,
    isFunctionLike: syntax.isFunctionLikeDeclaration,
    isTypeAssertionExpression: syntax.isTypeAssertion,
    isStringLiteralLike: (node): node is ts.StringLiteralLike =>
      syntax.isStringLiteral(node as ts.Node) || syntax.isNoSubstitutionTemplateLiteral(node as ts.Node),
  };
  return { ...syntax, ...adapted } as unknown as TypeScript;
}

/** A stopped TypeScript process sometimes prints an error. */
function endQuietly(child: ChildProcess | undefined): void {
  if (child === undefined) return;
  const kill = child.kill.bind(child);
  child.kill = () => kill('SIGKILL');
}
