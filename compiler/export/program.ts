/** Turns objects into the text of a program. */
import { compareText, KINDS_FILE } from '#schemas';
import type { Sources } from '../source/read-sources.ts';
import type { SourceDocument } from '../source/source-document.ts';
import { Comments } from './comments.ts';
import { chooseConstruct } from './constructs/index.ts';
import { type ExportedObject, toExportedObject } from './exported-object.ts';
import { capitalize } from './names.ts';
import { ProgramScope } from './program-scope.ts';
import { emitRegistryFile, type RegistryFileCode } from './registry-file.ts';
import type { Line, Statement } from './statement.ts';
import { buildSuppressions } from './suppressions.ts';
import { type Code, collectReferencedNames } from './typescript/code.ts';
import { formatStringLiteral } from './typescript/literal.ts';
import { print, printComments } from './typescript/print.ts';

export interface ExportedProgram {
  readonly text: string;
  /** Documents that no construct can represent. */
  readonly leftOut: readonly SourceDocument[];
}

const BODY = '    ';
/** Maximum length of a line, with its line end. */
const MAX_LINE = 121;

export interface ExportProgramOptions {
  /** The chart's name, such as `quickstart`. */
  readonly title: string;
  /** The path from the folder that file names are relative to, to the folder of the program. Default: the same folder. */
  readonly folder?: string;
}

/** A program that synthesizes the documents of the given sources. */
export function exportProgram(
  { documents, named }: Pick<Sources, 'documents' | 'named'>,
  { title, folder = '.' }: ExportProgramOptions,
): ExportedProgram {
  const objects = documents.flatMap(document => toExportedObject(document) ?? []);
  const program = new ProgramScope(objects);
  const statements = program.objects.map(object => buildStatement(object, program));
  const files = new Map(documents.map(document => [document, emitRegistryFile(document, folder, named, program)]));
  const exportedDocuments = new Set(objects.map(({ document }) => document));
  return {
    text: formatProgram(
      statements,
      [...files.values()].filter(file => file !== undefined),
      program,
      title,
    ),
    leftOut: documents.filter(
      document => !exportedDocuments.has(document) && files.get(document) === undefined && document.value !== null,
    ),
  };
}

function buildStatement(object: ExportedObject, program: ProgramScope): Statement {
  const { document } = object;
  const chosen = chooseConstruct(object, program, buildSuppressions(document), () => new Comments(document));
  const { code, before, further, parts, why } = chosen;
  return { object, code, before, further, comments: [...parts.comments.rest(), ...(why === undefined ? [] : [why])] };
}

function formatProgram(
  statements: readonly Statement[],
  files: readonly RegistryFileCode[],
  program: ProgramScope,
  title: string,
): string {
  const used = collectIdentifiers(
    [
      ...statements.flatMap(({ code, before, further }) => [...before, { code }, ...further]),
      ...files.flatMap(({ code, before }) => [...before, { code }]),
    ].map(({ code }) => code),
  );
  const name = `${capitalize(title).replace(/^(?![A-Za-z])/, 'Of')}Chart`;
  const made = [
    ...(statements.length === 0 ? [] : [`new ${name}(app, ${formatStringLiteral(title)});\n`]),
    ...files.map(({ before, code, comments }) => `\n${formatLines(comments, [...before, { code }], '', used)}`),
  ];
  const chart = statements.length === 0 ? '' : `\n${formatChart(name, statements, program, used)}`;
  return `${formatImports(used, chart !== '')}${chart}
const app = new App();
${made.join('')}${files.length === 0 ? '' : '\n'}app.synth();
`;
}

function formatChart(
  name: string,
  statements: readonly Statement[],
  program: ProgramScope,
  used: ReadonlySet<string>,
): string {
  const options = program.namespace === undefined ? '' : `, { namespace: ${formatStringLiteral(program.namespace)} }`;
  return `export class ${name} extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id${options});

${statements.map(statement => formatStatement(statement, program, used)).join('\n')}  }
}
`;
}

function formatStatement(
  { object, code, before, further, comments }: Statement,
  program: ProgramScope,
  used: ReadonlySet<string>,
): string {
  return formatLines(comments, [...before, { constant: program.getConstant(object), code }, ...further], BODY, used);
}

/** @param comments about all of the lines; the first line may have further comments of its own */
function formatLines(
  comments: readonly string[],
  lines: readonly Line[],
  indent: string,
  used: ReadonlySet<string>,
): string {
  const texts = lines.map(({ code, constant, comments: own = [] }) => {
    const head = constant !== undefined && used.has(constant) ? `const ${constant} = ` : '';
    const text = print(code, indent, indent.length + head.length);
    return `${printComments(own, indent)}${indent}${head}${text};\n`;
  });
  const isTall = (text: string) => text.indexOf('\n') < text.length - 1;
  const spaced = texts.map((text, index) => {
    const before = texts[index - 1] ?? '';
    return index > 0 && (isTall(before) || isTall(text)) ? `\n${text}` : text;
  });
  const isApart = comments.length > 0 && (lines[0]?.comments?.length ?? 0) > 0;
  return `${printComments(comments, indent)}${isApart ? '\n' : ''}${spaced.join('')}`;
}

function formatImports(used: ReadonlySet<string>, hasChart: boolean): string {
  const constructs = [...used].filter(name => FROM_LINTEL.has(name)).sort(compareByCase);
  return [
    `import { ${FROM_CDK8S.filter(name => name === 'App' || name === 'Chart' || used.has(name)).join(', ')} } from 'cdk8s';\n`,
    ...(hasChart ? ["import type { Construct } from 'constructs';\n"] : []),
    ...(constructs.length === 0 ? [] : [importFrom('lintel/cdk8s', constructs)]),
  ].join('');
}

function importFrom(module: string, names: readonly string[]): string {
  const line = `import { ${names.join(', ')} } from '${module}';\n`;
  if (line.length <= MAX_LINE) return line;
  return `import {\n${names.map(name => `  ${name},\n`).join('')}} from '${module}';\n`;
}

/** Compares without regard to case, as Biome and other formatters sort imports. */
function compareByCase(a: string, b: string): number {
  return compareText(a.toLowerCase(), b.toLowerCase()) || compareText(a, b);
}

const FROM_CDK8S = ['ApiObject', 'App', 'Chart', 'JsonPatch'];

/** Names that the program may import from Lintel. No const gets one of them. */
const FROM_LINTEL: ReadonlySet<string> = new Set([
  ...Object.keys(KINDS_FILE),
  'Authorization',
  'AuthServer',
  'Backend',
  'CaBundle',
  'Caller',
  'cedar',
  'Condition',
  'Conflicts',
  'Gateway',
  'Group',
  'Incoming',
  'Oidc',
  'OutgoingAuth',
  'ProxyAuth',
  'Registry',
  'RegistryAuth',
  'RegistryFile',
  'RegistryProvider',
  'RegistrySource',
  'Secret',
  'ServerFile',
  'Sessions',
  't',
  'Telemetry',
  'Tools',
  'Upstream',
  'Value',
  'Workflow',
  'WorkflowDefinition',
  'WrittenRegistryFile',
  'WrittenWorkflow',
]);

/** The first identifier of each expression, such as a const or an import. */
function collectIdentifiers(code: readonly Code[]): ReadonlySet<string> {
  return new Set(
    code.flatMap(collectReferencedNames).flatMap(text => /^(?:new )?([A-Za-z_$][\w$]*)/.exec(text)?.[1] ?? []),
  );
}
