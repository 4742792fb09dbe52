/** From objects to the text of a program. */
import type { SourceDocument } from '../source/source-document.ts';
import { Comments } from './comments.ts';
import { constructOf } from './constructs/index.ts';
import { type ExportedObject, exportedObject } from './exported-object.ts';
import { capitalized } from './names.ts';
import type { Statement } from './statement.ts';
import { suppressingAnnotations } from './suppressions.ts';
import { type Code, textsIn } from './typescript/code.ts';
import { stringLiteral } from './typescript/literal.ts';
import { print, printComments } from './typescript/print.ts';
import { World } from './world.ts';

export interface ExportedProgram {
  readonly text: string;
  /** Documents that no construct could stand for. */
  readonly leftOut: readonly SourceDocument[];
}

const BODY = '    ';

/**
 * A program that synthesizes to what the documents say.
 *
 * @param title what the chart is called, such as `quickstart`
 */
export function exportProgram(documents: readonly SourceDocument[], title: string): ExportedProgram {
  const objects = documents.flatMap(document => exportedObject(document) ?? []);
  const kept = new Set(objects.map(({ document }) => document));
  const world = new World(objects);
  const statements = world.objects.map(object => statementOf(object, world));
  return {
    text: programText(statements, world, title),
    leftOut: documents.filter(document => !kept.has(document) && document.value !== null),
  };
}

function statementOf(object: ExportedObject, world: World): Statement {
  const { document } = object;
  const chosen = constructOf(object, world, suppressingAnnotations(document), () => new Comments(document));
  const { code, further, parts, why } = chosen;
  return { object, code, further, comments: [...parts.comments.rest(), ...(why === undefined ? [] : [why])] };
}

function programText(statements: readonly Statement[], world: World, title: string): string {
  const code = statements.flatMap(({ code, further }) => [code, ...further]);
  const used = identifiersIn(code);
  const name = `${capitalized(title).replace(/^(?![A-Za-z])/, 'Chart')}`;
  const options = world.namespace === undefined ? '' : `, { namespace: ${stringLiteral(world.namespace)} }`;
  const body = statements.map(statement => statementText(statement, world, used)).join('\n');
  return `${imports(used)}
export class ${name}Chart extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id${options});

${body}  }
}

const app = new App();
new ${name}Chart(app, ${stringLiteral(title)});
app.synth();
`;
}

function statementText(
  { object, code, further, comments }: Statement,
  world: World,
  used: ReadonlySet<string>,
): string {
  const constant = world.constantOf(object);
  const head = used.has(constant) ? `const ${constant} = ` : '';
  const lines = [
    `${head}${print(code, BODY, BODY.length + head.length)}`,
    ...further.map(one => print(one, BODY, BODY.length)),
  ];
  return `${printComments(comments, BODY)}${lines.map(line => `${BODY}${line};\n`).join('')}`;
}

function imports(used: ReadonlySet<string>): string {
  const constructs = [...used].filter(name => FROM_LINTEL.has(name)).sort();
  return [
    `import { ${[...(used.has('ApiObject') ? ['ApiObject'] : []), 'App', 'Chart'].join(', ')} } from 'cdk8s';\n`,
    "import type { Construct } from 'constructs';\n",
    ...(constructs.length === 0 ? [] : [`import { ${constructs.join(', ')} } from 'lintel/cdk8s';\n`]),
  ].join('');
}

/** What programs import, all of which is a name of its own. */
const FROM_LINTEL: ReadonlySet<string> = new Set(['Backend', 'Group']);

/** The first name of each expression that is one: a const, or what is imported. */
function identifiersIn(code: readonly Code[]): ReadonlySet<string> {
  return new Set(code.flatMap(textsIn).flatMap(text => /^(?:new )?([A-Za-z_$][\w$]*)/.exec(text)?.[1] ?? []));
}
