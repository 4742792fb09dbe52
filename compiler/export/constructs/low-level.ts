import { referencesIn } from '../../resolve/references.ts';
import type { ExportedObject } from '../exported-object.ts';
import { type CallCode, type Code, call, type Member, plain } from '../typescript/code.ts';
import { stringLiteral } from '../typescript/literal.ts';
import { ValueWriter } from '../value-code.ts';
import type { World } from '../world.ts';
import type { Parts } from './parts.ts';

/** The object as it is written. Nothing that it says is lost. */
export function lowLevel(object: ExportedObject, world: World, { comments, annotations }: Parts): CallCode {
  const { apiVersion, kind, value } = object;
  const writer = new ValueWriter(comments, replacements(object, world));
  const { apiVersion: _, kind: __, metadata: ___, ...rest } = value;
  const members: readonly Member[] = [
    { key: 'apiVersion', comments: [], value: plain(stringLiteral(apiVersion)) },
    { key: 'kind', comments: [], value: plain(stringLiteral(kind)) },
    { key: 'metadata', comments: [], value: { type: 'object', members: metadata(object, world, writer, annotations) } },
    ...writer.members(rest, []),
  ];
  return call('new ApiObject', plain('this'), plain(stringLiteral(world.idOf(object))), { type: 'object', members });
}

function metadata(
  object: ExportedObject,
  world: World,
  writer: ValueWriter,
  annotations: Readonly<Record<string, string>>,
): readonly Member[] {
  const { namespace: _, annotations: written, ...rest } = object.value.metadata as Record<string, unknown>;
  const namespace = world.namespaceOf(object);
  const all = { ...(written as object | null), ...annotations };
  return [
    ...writer.members(rest, ['metadata']),
    ...(namespace === undefined
      ? []
      : [writer.member('namespace', plain(stringLiteral(namespace)), ['metadata', 'namespace'])]),
    ...(Object.keys(all).length === 0
      ? []
      : [writer.member('annotations', writer.value(all, ['metadata', 'annotations']), ['metadata', 'annotations'])]),
  ];
}

/** References by the names of what they refer to, where that stands above. */
function replacements(object: ExportedObject, world: World): ReadonlyMap<string, Code> {
  return new Map(
    referencesIn(object.kind, object.value.spec).flatMap(({ path, kind, name }) => {
      const target = world.earlier(object, kind, name);
      return target === undefined ? [] : [[JSON.stringify(path), plain(`${world.constantOf(target)}.name`)] as const];
    }),
  );
}
