import type { Location } from 'vscode-languageserver';
import { findReferences } from '../resolve/references.ts';
import type { ResourceDocument } from '../source/classify.ts';
import type { Path } from '../source/source-document.ts';
import type { SourceText } from '../source/source-text.ts';
import type { EditedProject } from './edited-project.ts';
import { findDocument, locateNode } from './locate-node.ts';
import { toLspRange, toUri } from './positions.ts';

/** The name of an object in a text. */
export interface ObjectName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export const OWN_NAME: Path = ['metadata', 'name'];

/** The object that the name at an offset refers to: a reference, or the object's own name. */
export function findNamedObject(project: EditedProject, source: SourceText, offset: number): ObjectName | undefined {
  const node = locateNode(source.file, source.text, offset);
  const document = node?.part === 'value' ? findDocument(project.getCompiled(), source, offset) : undefined;
  if (node === undefined || document === undefined) return undefined;
  const { kind, namespace, name } = document;
  if (isSame(node.path, OWN_NAME)) return { kind, namespace, name };
  const reference = listReferences(document).find(({ path }) => isSame(path, node.path));
  return reference && { kind: reference.kind, namespace, name: reference.name };
}

export function listReferences({ kind, doc }: ResourceDocument) {
  return findReferences(kind, (doc.value as { readonly spec?: unknown }).spec);
}

/** All definitions of an object: duplicates are possible, and a finding. */
export function findDefinitions(project: EditedProject, objectName: ObjectName): Location[] {
  return project
    .getCompiled()
    .compilation.objects.filter(object => isNamed(object, objectName))
    .flatMap(object => toLocation(project, object, OWN_NAME) ?? []);
}

export function isNamed(document: ObjectName, { kind, namespace, name }: ObjectName): boolean {
  return document.name === name && document.kind === kind && document.namespace === namespace;
}

/** A location as the editor expects it. Undefined for a location without a file, such as an object of a program. */
export function toLocation(project: EditedProject, { doc }: ResourceDocument, path: Path): Location | undefined {
  const source = project.getCompiled().findText(doc.file);
  return (
    source && { uri: toUri(project.toAbsolutePath(doc.file)), range: toLspRange(source, doc.locate(path, 'value')) }
  );
}

function isSame(a: Path, b: Path): boolean {
  return a.length === b.length && a.every((step, at) => step === b[at]);
}
