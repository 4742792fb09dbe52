/** What is generated from the definition of `lintel.yaml`: for editors, for the compiler, and its TypeScript types. */
import { projectFile } from '../project/project-file.ts';
import { GENERATED } from './header.ts';
import { DIALECT, type JsonSchema, publicSchema, schemaId } from './json-schema.ts';
import { type StructuralSchema, walk } from './structural-schema.ts';
import { toStructural } from './to-structural.ts';
import { docComment, fieldLines, isInterface, schemaDoc } from './type-text.ts';

/** The internal form, with the keywords that the compiler reads. */
export function projectStructure(): StructuralSchema {
  return toStructural(projectFile, 'lintel.yaml');
}

/** The schema for editors. */
export function projectSchema(): JsonSchema {
  return { $schema: DIALECT, $id: schemaId('project'), $comment: GENERATED, ...publicSchema(projectStructure()) };
}

/** An interface for the file and for each object in it. */
export function projectTypes(): string {
  const objects = [...walk({ path: 'lintel.yaml', schema: projectStructure() })].filter(({ schema }) =>
    isInterface(schema),
  );
  const interfaces = objects.map(
    ({ schema }) => `${docComment(schemaDoc(schema), '')}export interface ${schema.title} {\n${fieldLines(schema)}}\n`,
  );
  return [`// ${GENERATED}\n`, ...interfaces].join('\n');
}
