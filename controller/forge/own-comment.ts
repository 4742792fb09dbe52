/** The single comment of a source on a pull request. */
import { createHash } from 'node:crypto';
import type { Comment, Forge } from './forge.ts';
import { ForgeError } from './forge-error.ts';

/** Hidden in Markdown. Not the context itself, which may contain any text and could close the hiding comment. */
export function formatMarker(source: { readonly namespace: string; readonly name: string }, context: string): string {
  const id = createHash('sha256')
    .update(JSON.stringify([source.namespace, source.name, context]))
    .digest('hex');
  return `<!-- lintel:${id.slice(0, 24)} -->`;
}

/**
 * Creates or edits the comment. `text` gets the existing body, to keep parts of it. An unchanged comment is not sent.
 *
 * Two concurrent controllers may both create one: each checks again afterwards, the oldest comment stays, and each deletes only its own.
 */
export async function upsertComment(
  forge: Forge,
  pullRequest: number,
  marker: string,
  text: (before: string | undefined) => string,
  signal: AbortSignal,
): Promise<void> {
  const ownId = await forge.findOwnId(signal);
  const find = async () =>
    (await forge.listComments(pullRequest, signal)).filter(comment => isOurs(comment, marker, ownId));
  const [existing] = await find();
  if (existing !== undefined)
    return edit(forge, pullRequest, existing, withMarker(marker, text(existing.body)), signal);
  const created = await forge.createComment(pullRequest, withMarker(marker, text(undefined)), signal);
  const [oldest] = await find();
  if (oldest === undefined || oldest.id >= created.id) return;
  await forge.deleteComment(pullRequest, created.id, signal).catch(ignoreMissing);
  await edit(forge, pullRequest, oldest, withMarker(marker, text(oldest.body)), signal);
}

async function edit(
  forge: Forge,
  pullRequest: number,
  comment: Comment,
  body: string,
  signal: AbortSignal,
): Promise<void> {
  if (isSameText(comment.body, body)) return;
  await forge.editComment(pullRequest, comment.id, body, signal);
}

/** Whether this controller wrote a comment. Any user may copy the marker, so comments of other users are never edited. */
function isOurs({ body, author, isBot }: Comment, marker: string, ownId: number | undefined): boolean {
  if (!body.startsWith(marker)) return false;
  // When the token's user is unknown, one missing comment is better than another comment after each reconcile.
  return ownId === undefined ? isBot !== false : author === ownId;
}

function withMarker(marker: string, text: string): string {
  return `${marker}\n${text}`;
}

/** Forges normalize line breaks, and drop trailing ones. */
function isSameText(a: string, b: string): boolean {
  const plain = (text: string) => text.replace(/\r\n?/g, '\n').trimEnd();
  return plain(a) === plain(b);
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof ForgeError && error.failure === 'notFound')) throw error;
}
