import type { Location, Range as LspRange, TextEdit, WorkspaceEdit } from 'vscode-languageserver';
import type { SourceText } from '../source/source-text.ts';
import { findNamedObject, type ObjectName } from './definition.ts';
import type { EditedProject } from './edited-project.ts';
import { toUri } from './positions.ts';
import { findDefinitionUses, findUses, type Use } from './uses.ts';
import { findValueRange } from './value-range.ts';

/** Why an object cannot be renamed. */
export class RenameProblem extends Error {}

/** The names that Kubernetes allows (RFC 1123 subdomains). @see https://kubernetes.io/docs/concepts/overview/working-with-objects/names/ */
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const MAX_NAME = 253;

/** The references to an object, with its definitions if requested. */
export function locateReferences(
  project: EditedProject,
  source: SourceText,
  offset: number,
  withDefinitions: boolean,
): Location[] | null {
  const objectName = findNamedObject(project, source, offset);
  if (objectName === undefined) return null;
  const { objects } = project.getCompiled().compilation;
  const uses = [...(withDefinitions ? findDefinitionUses(objects, objectName) : []), ...findUses(objects, objectName)];
  return uses.flatMap(use => {
    const range = findRangeOfUse(project, use, objectName);
    return range === undefined ? [] : [{ uri: toUri(project.toAbsolutePath(use.document.doc.file)), range }];
  });
}

/** The name at an offset as written; null when it cannot be renamed. */
export function prepareRename(project: EditedProject, source: SourceText, offset: number): LspRange | null {
  const objectName = findNamedObject(project, source, offset);
  if (objectName === undefined) return null;
  const { objects } = project.getCompiled().compilation;
  const isHere = ({ start, end }: LspRange) => {
    const [from, to] = [start, end].map(({ line, character }) => (source.line(line + 1)?.offset ?? 0) + character);
    return from !== undefined && to !== undefined && from <= offset && offset <= to;
  };
  if (findDefinitionUses(objects, objectName).length === 0) return null;
  const uses = [...findDefinitionUses(objects, objectName), ...findUses(objects, objectName)];
  const ranges = uses
    .filter(({ document }) => document.doc.file === source.file)
    .flatMap(use => findRangeOfUse(project, use, objectName) ?? []);
  return ranges.find(isHere) ?? null;
}

/**
 * Renames the object and all references to it. Tool names that contain the name, as in policies, do not change: findings report them.
 * @throws RenameProblem for an invalid or taken name
 */
export function rename(project: EditedProject, source: SourceText, offset: number, name: string): WorkspaceEdit | null {
  const objectName = findNamedObject(project, source, offset);
  if (objectName === undefined) return null;
  if (!NAME.test(name) || name.length > MAX_NAME)
    throw new RenameProblem(
      `${JSON.stringify(name)} is not a valid name of an object: small letters, digits, "-" and "."`,
    );
  const { objects } = project.getCompiled().compilation;
  if (findDefinitionUses(objects, { ...objectName, name }).length > 0)
    throw new RenameProblem(`there is a ${objectName.kind} "${name}" in namespace "${objectName.namespace}" already`);
  const definitions = findDefinitionUses(objects, objectName);
  if (definitions.length === 0)
    throw new RenameProblem(`the ${objectName.kind} "${objectName.name}" is not in these sources`);
  const changes: { [uri: string]: TextEdit[] } = {};
  for (const use of [...definitions, ...findUses(objects, objectName)]) {
    const range = findRangeOfUse(project, use, objectName);
    if (range === undefined) {
      const { file } = use.document.doc;
      throw new RenameProblem(`${file} writes the name in a way that cannot be changed in place; change it by hand`);
    }
    const uri = toUri(project.toAbsolutePath(use.document.doc.file));
    changes[uri] = [...(changes[uri] ?? []), { range, newText: name }];
  }
  return { changes };
}

function findRangeOfUse(project: EditedProject, { document, path, at, text }: Use, { name }: ObjectName) {
  const source = project.getCompiled().findText(document.doc.file);
  return source && findValueRange(source, document.doc, path, at, text, name.length);
}
