import { API_GROUP, isObject, KINDS_FILE, STORAGE_VERSION } from '#schemas';
import { findReferences } from '../../resolve/references.ts';
import type { ExportedObject } from '../exported-object.ts';
import { emitNullPatches, keepsNull } from '../nulls.ts';
import type { ProgramScope } from '../program-scope.ts';
import { type Code, type CommentedMember, call, plain } from '../typescript/code.ts';
import { formatStringLiteral } from '../typescript/literal.ts';
import { ValueWriter } from '../value-code.ts';
import type { ConstructCode } from './construct.ts';
import type { ConstructExtras } from './parts.ts';

/** Writes an object out: the class of its kind, if there is one, gets the object as it is in the specs. So nothing is lost. */
export function emitLowLevel(
  object: ExportedObject,
  program: ProgramScope,
  { comments, annotations }: ConstructExtras,
): ConstructCode {
  const { apiVersion, kind, value } = object;
  const isTyped = hasConstruct(object);
  const writer = new ValueWriter(
    comments,
    collectReplacements(object, program),
    path => isTyped && keepsNull(kind, path),
  );
  const { apiVersion: _, kind: __, metadata: ___, ...rest } = value;
  const metadataCode = { type: 'object', members: emitMetadata(object, program, writer, annotations) } as const;
  const id = plain(formatStringLiteral(program.getId(object)));
  // By default, the name of an object is the id of its construct.
  const needsMetadata =
    !isTyped || metadataCode.members.some(({ key }) => key !== 'name') || object.name !== program.getId(object);
  const members: readonly CommentedMember[] = [
    ...(isTyped ? [] : writer.members({ apiVersion, kind }, [])),
    ...(needsMetadata ? [writer.member('metadata', metadataCode, ['metadata'])] : []),
    ...writer.members(rest, []),
  ];
  const callee = isTyped ? `new ${kind}` : 'new ApiObject';
  const code = call(callee, plain('this'), id, { type: 'object', members });
  return { code, further: isTyped ? [] : emitNullPatches(value, program.getConstant(object)) };
}

/** Whether a construct exists for the object's version, with all of the object's fields. */
function hasConstruct({ apiVersion, kind, value }: ExportedObject): boolean {
  const isOurs = apiVersion === `${API_GROUP}/${STORAGE_VERSION}` && Object.hasOwn(KINDS_FILE, kind);
  return isOurs && isObject(value.spec) && Object.keys(value).every(key => KNOWN.includes(key));
}

const KNOWN = ['apiVersion', 'kind', 'metadata', 'spec'];

function emitMetadata(
  object: ExportedObject,
  program: ProgramScope,
  writer: ValueWriter,
  annotations: Readonly<Record<string, string>>,
): readonly CommentedMember[] {
  const { namespace: _, annotations: authoredAnnotations, ...rest } = object.value.metadata as Record<string, unknown>;
  const namespace = program.findNamespace(object);
  const all = { ...(authoredAnnotations as object | null), ...annotations };
  return [
    ...writer.members(rest, ['metadata']),
    ...(namespace === undefined
      ? []
      : [writer.member('namespace', plain(formatStringLiteral(namespace)), ['metadata', 'namespace'])]),
    ...(Object.keys(all).length === 0
      ? []
      : [writer.member('annotations', writer.value(all, ['metadata', 'annotations']), ['metadata', 'annotations'])]),
  ];
}

/** The references to other objects, as names of constructs that are created above. */
function collectReplacements(object: ExportedObject, program: ProgramScope): ReadonlyMap<string, Code> {
  return new Map(
    findReferences(object.kind, object.value.spec).flatMap(({ path, kind, name }) => {
      const target = program.findEarlier(object, kind, name);
      return target === undefined
        ? []
        : [[JSON.stringify(path), plain(`${program.getConstant(target)}.name`)] as const];
    }),
  );
}
