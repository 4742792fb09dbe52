import { type Envelope, type Span, splice } from '../envelope.ts';
import { CLOSE_BRACE, OPEN_BRACE, skipSpace } from '../json/characters.ts';
import { META } from '../meta-keys.ts';

/**
 * A notification as JSON text with the id of its subscription; all other characters stay unchanged.
 * @param id id of the `subscriptions/listen` request as JSON text
 */
export function stampSubscription(notification: Envelope, id: string): string {
  const { text, meta, params } = notification;
  const stamp = `"${META.subscriptionId}":${id}`;
  // A backend's own subscription id has no meaning for the client.
  const previous = meta?.content.subscriptionId;
  if (meta !== undefined && previous !== undefined) {
    return splice(notification, { start: meta.start + previous.start, end: meta.start + previous.end }, id);
  }
  if (meta !== undefined && text.charCodeAt(meta.start) === OPEN_BRACE) return addFirst(notification, meta, stamp);
  if (meta !== undefined) return splice(notification, meta, `{${stamp}}`);
  if (params !== undefined) return addFirst(notification, params, `"_meta":{${stamp}}`);
  return addFirst(notification, { start: skipSpace(text, 0), end: text.length }, `"params":{"_meta":{${stamp}}}`);
}

/** The message with a member more at the beginning of the object at `span`. */
function addFirst(notification: Envelope, span: Span, member: string): string {
  const { text } = notification;
  const isEmpty = text.charCodeAt(skipSpace(text, span.start + 1)) === CLOSE_BRACE;
  const start = { start: span.start, end: span.start + 1 };
  return splice(notification, start, `{${member}${isEmpty ? '' : ','}`);
}
