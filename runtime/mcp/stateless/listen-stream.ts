import type { ServerResponse } from 'node:http';
import { detachString } from '../../tuning/detach-string.ts';
import type { Envelope } from '../envelope.ts';
import { formatEvent } from '../event-stream.ts';
import { META } from '../meta-keys.ts';
import { parseSoundMessage, readEnvelope } from '../read-envelope.ts';
import type { StreamConnection, StreamConnections } from '../stream-connection.ts';
import { formatResultResponse } from '../wire-error.ts';
import type { Implementation, NotificationFilter, NotificationSink, Subscription } from './handler.ts';
import { asksFor } from './notification-filter.ts';
import { formatResultMembers } from './result.ts';
import { stampSubscription } from './subscription-id.ts';

/** Limit on the core's notifications before the subscription is open. */
const MAX_EARLY = 1000;

/**
 * The answer to `subscriptions/listen`: first the acknowledgement, then the requested notifications, until one side ends it.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export class ListenStream implements NotificationSink {
  readonly #res: ServerResponse;
  #outlet: StreamConnection | undefined;
  /** The id of the request as JSON text. */
  readonly id: string;
  /** Notifications before the acknowledgement, which must be the first message. */
  #early: string[] = [];
  #honoured: NotificationFilter | undefined;

  /** Which side ended it before it began. */
  #endedBy: Implementation | undefined;

  constructor(res: ServerResponse, id: string) {
    this.#res = res;
    this.id = detachString(id);
  }

  /** Begins the stream. From here on the subscription ends with the connection. */
  acknowledge(subscription: Subscription, outlets: StreamConnections): void {
    const { honoured } = subscription;
    if (this.#res.destroyed) {
      subscription.close();
      return;
    }
    const outlet = outlets.open(this.#res);
    outlet.startHeartbeat();
    outlet.onClose(() => subscription.close());
    this.#outlet = outlet;
    this.#honoured = honoured;
    const params = JSON.stringify({ _meta: {}, notifications: honoured });
    this.#write(
      readEnvelope(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":${params}}`),
    );
    for (const json of this.#early) this.message(json);
    this.#early = [];
    if (this.#endedBy !== undefined) this.end(this.#endedBy);
  }

  message(json: string): void {
    if (this.#honoured === undefined) {
      if (this.#early.length < MAX_EARLY) this.#early.push(json);
      return;
    }
    const message = parseSoundMessage(json);
    if (message?.kind === 'notification' && asksFor(this.#honoured, message.method)) this.#write(message);
  }

  /** Ends the subscription on the gateway's side, with the result that shows a client that the end is intended. */
  end(serverInfo: Implementation): void {
    if (this.#honoured === undefined) {
      this.#endedBy = serverInfo;
      return;
    }
    if (this.#res.destroyed || this.#res.writableEnded) return;
    const result = `{${formatResultMembers(serverInfo, { meta: `"${META.subscriptionId}":${this.id}` })}}`;
    this.#outlet?.end(formatEvent(formatResultResponse(this.id, result)));
  }

  #write(notification: Envelope): void {
    this.#outlet?.event(formatEvent(stampSubscription(notification, this.id)));
  }
}
