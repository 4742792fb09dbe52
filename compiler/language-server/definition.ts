import type { Location } from 'vscode-languageserver';
import { referencesIn } from '../resolve/references.ts';
import type { ResourceDocument } from '../source/classify.ts';
import type { Path } from '../source/source-document.ts';
import type { SourceText } from '../source/source-text.ts';
import type { EditedProject } from './edited-project.ts';
import { documentAt, placeAt } from './place-at.ts';
import { rangeOf, uriOf } from './positions.ts';

/** An object that a text names. */
export interface ObjectName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export const OWN_NAME: Path = ['metadata', 'name'];

/** The object that is named at an offset: by a reference, or by its own name. */
export function nameAt(project: EditedProject, source: SourceText, offset: number): ObjectName | undefined {
  const place = placeAt(source.file, source.text, offset);
  const document = place?.part === 'value' ? documentAt(project.compiled(), source, offset) : undefined;
  if (place === undefined || document === undefined) return undefined;
  const { kind, namespace, name } = document;
  if (isSame(place.path, OWN_NAME)) return { kind, namespace, name };
  const reference = referencesOf(document).find(({ path }) => isSame(path, place.path));
  return reference && { kind: reference.kind, namespace, name: reference.name };
}

export function referencesOf({ kind, doc }: ResourceDocument) {
  return referencesIn(kind, (doc.value as { readonly spec?: unknown }).spec);
}

/** Every definition of an object: there may be two of one name, which is a finding. */
export function definitionsOf(project: EditedProject, wanted: ObjectName): Location[] {
  return project
    .compiled()
    .compilation.objects.filter(one => isNamed(one, wanted))
    .flatMap(one => locationOf(project, one, OWN_NAME) ?? []);
}

export function isNamed(document: ObjectName, { kind, namespace, name }: ObjectName): boolean {
  return document.name === name && document.kind === kind && document.namespace === namespace;
}

/** Undefined for what is in no file, such as what a program made. */
export function locationOf(project: EditedProject, { doc }: ResourceDocument, path: Path): Location | undefined {
  const source = project.compiled().textOf(doc.file);
  return source && { uri: uriOf(project.absolute(doc.file)), range: rangeOf(source, doc.locate(path, 'value')) };
}

function isSame(a: Path, b: Path): boolean {
  return a.length === b.length && a.every((step, at) => step === b[at]);
}
