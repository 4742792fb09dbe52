import { isObject } from '#schemas';
import type { Code, CommentedMember } from '../typescript/code.ts';
import { ConsumedMapping } from './block.ts';
import { NotRepresentable } from './not-representable.ts';
import { isText } from './prop-guards.ts';
import { emitSecretKey } from './references.ts';

/**
 * Merges headers with plain values and headers from Secrets into one object.
 *
 * @param plainField the field with plain values
 * @param secretField the field with references to Secrets
 * @param names the fields of a reference: the header's name, and the reference itself
 * @throws NotRepresentable when the object would have another order of headers, or has a header twice
 */
export function emitHeaders(
  block: ConsumedMapping,
  plainField: string,
  secretField: string,
  names: { readonly name: string; readonly reference: string },
): Code | undefined {
  const texts = block.take(plainField);
  const secrets = block.take(secretField);
  if (texts === undefined && secrets === undefined) return undefined;
  const { writer, path } = block;
  if (
    texts !== undefined &&
    (!isObject(texts) || Object.keys(texts).length === 0 || !Object.values(texts).every(isText))
  )
    throw new NotRepresentable(`\`${plainField}\` is not a mapping of names to texts, or it is empty.`);
  if (secrets !== undefined && (!Array.isArray(secrets) || secrets.length === 0))
    throw new NotRepresentable(`\`${secretField}\` is not a list, or it is empty.`);
  const plainMembers = writer.members((texts ?? {}) as Record<string, unknown>, [...path, plainField]);
  const secretMembers = ((secrets ?? []) as unknown[]).map((item, index): CommentedMember => {
    const at = new ConsumedMapping(item, [...path, secretField, index], writer);
    const key = at.take(names.name);
    const value = emitSecretKey(at.take(names.reference));
    at.done();
    if (typeof key !== 'string') throw new NotRepresentable(`an entry of \`${secretField}\` has no \`${names.name}\`.`);
    return { key, value, comments: writer.comments.at(at.path) };
  });
  const members = [...plainMembers, ...secretMembers];
  const keys = members.map(({ key }) => key);
  const listed = Object.keys(Object.fromEntries(keys.map(key => [key, true])));
  if (listed.some((key, index) => key !== keys[index]) || listed.length < keys.length)
    throw new NotRepresentable('two headers have the same name, or the prop `headers` would change their order.');
  return { type: 'object', members };
}
