/** One client session that all replicas share, and the messages between replicas about it. */
import { BackendError } from '../../mcp/backend-error.ts';
import type { Envelope } from '../../mcp/envelope.ts';
import type { ClientSession } from '../../mcp/handler.ts';
import { readEnvelope } from '../../mcp/read-envelope.ts';
import { SESSION_TTL_MS } from '../../mcp/sessions.ts';
import { formatSessionKey, type ReplicaMessage, type SharedSessions } from '../../shared-sessions/store.ts';
import type { SavedBackendSession } from '../backends/backend.ts';
import type { SharedBackendSession } from '../backends/context.ts';
import type { BackendConnection } from '../connections/connection.ts';
import type { BackendUses } from './backend-uses.ts';
import type { GatewaySession } from './client-session.ts';
import type { ForwardedResponses } from './forwarded-responses.ts';
import { readProgressToken, readReplica } from './server-requests.ts';
import type { SessionsGateway } from './sessions-gateway.ts';
import type { SharedStreams } from './shared-streams.ts';
import { placeSubscription } from './subscriptions.ts';

/** Names of the stored fields of a session, or their prefixes. */
const LEVEL = 'level';
const BACKEND = 'backend:';
const SUBSCRIPTION = 'subscription:';
const TASK = 'task:';

/** A session with a backend in stored form. */
interface StoredBackendSession extends SavedBackendSession {
  /** Identity of the connection: another bundle may use the same name for another backend. */
  readonly reach: string;
}

/** A subscription's backend in stored form. */
interface StoredSubscription {
  readonly backend: string;
  /** Identity of the connection, as for a stored session with a backend. */
  readonly reach: string;
}

/** The shared resources of all sessions of a gateway. */
export interface SharedResources {
  readonly all: SharedSessions;
  readonly answers: ForwardedResponses;
  readonly streams: SharedStreams;
  readonly uses: BackendUses;
}

export class SharedSession {
  readonly #gateway: SessionsGateway;
  readonly #session: ClientSession<GatewaySession>;
  readonly #all: SharedSessions;
  readonly #answers: ForwardedResponses;
  readonly #streams: SharedStreams;
  readonly #uses: BackendUses;
  /** Names of the backends with which this replica or another one has a session. */
  readonly #backends: Set<string> = new Set();
  /** Subscriptions that a replica with another bundle has stored, until this replica knows where their resources are. */
  readonly #moving: Map<string, string> = new Map();

  constructor(
    gateway: SessionsGateway,
    session: ClientSession<GatewaySession>,
    { all, answers, streams, uses }: SharedResources,
  ) {
    this.#gateway = gateway;
    this.#session = session;
    this.#all = all;
    this.#answers = answers;
    this.#streams = streams;
    this.#uses = uses;
  }

  /** Writes fields for the other replicas. If that fails, the other replicas miss the change, and the session continues here. */
  note(fields: Readonly<Record<string, string | null>>): void {
    void this.noted(fields);
  }

  /** Does the same as {@link note}, and resolves when the fields are written or the write has failed. */
  async noted(fields: Readonly<Record<string, string | null>>): Promise<void> {
    await this.#all.change(this.#session.id, fields).catch((error: Error) => {
      this.#gateway.log.warn({ cause: error.message }, 'a change of a session could not be sent to other replicas');
    });
  }

  /** Stores the backend of a subscribed resource for the other replicas; undefined after the subscription has ended. */
  noteSubscription(uri: string, connection: BackendConnection | undefined): void {
    this.#moving.delete(uri);
    const stored: StoredSubscription | undefined = connection && {
      backend: connection.name,
      reach: connection.identity,
    };
    this.note({ [`${SUBSCRIPTION}${uri}`]: stored === undefined ? null : JSON.stringify(stored) });
  }

  /** Applies stored or changed fields of the session. */
  apply(fields: Readonly<Record<string, string | null>>): void {
    const { payload } = this.#session;
    for (const [name, value] of Object.entries(fields)) {
      if (name === LEVEL && value !== null && value !== payload.logLevel) payload.setLogLevel(value);
      else if (name.startsWith(BACKEND)) this.#hasSession(name.slice(BACKEND.length), value);
      else if (name.startsWith(SUBSCRIPTION)) this.#subscribed(name.slice(SUBSCRIPTION.length), value);
      else if (name.startsWith(TASK)) this.#taskMade(name.slice(TASK.length));
    }
  }

  /** The session with a backend that all replicas use. */
  getSession(connection: BackendConnection): SharedBackendSession {
    const { name, identity: reach } = connection;
    const field = `${BACKEND}${name}`;
    let latest: string | undefined;
    const read = (text: string | undefined): SavedBackendSession | undefined => {
      latest = text;
      return readFor(connection, text);
    };
    const ask = <T>(answer: Promise<T>): Promise<T> =>
      answer.catch(() => {
        throw new BackendError(
          name,
          'connection_failed',
          'its session is not known: the session store cannot be reached',
        );
      });
    return {
      find: async () => {
        const fields = (await ask(this.#all.load(this.#session.id, SESSION_TTL_MS))) ?? {};
        // If the backend session has to be opened again, the new session gets the client's earlier settings as well.
        this.apply(fields);
        return read(fields[field]);
      },
      replica: this.#all.replica,
      isAlive: replica => ask(this.#all.isAlive(replica)),
      release: async saved => {
        const text = JSON.stringify({ ...saved, reach } satisfies StoredBackendSession);
        // If the client's session no longer exists, there is nothing to release.
        await this.#all.claim(this.#session.id, field, '', text).catch(() => {});
      },
      send: (to, message) => this.#streams.send(this.#session.id, to, message),
      onMessage: (stream, listener) => this.#streams.onMessage(stream, listener),
      save: async opened => {
        const text = JSON.stringify({ ...opened, reach } satisfies StoredBackendSession);
        const stored = await ask(this.#all.claim(this.#session.id, field, text, latest));
        // The replica with the client's stream learns of the new session: it opens the backend's stream for unsolicited messages, and changes to this
        // session.
        if (stored === text) this.#send('others', { type: 'changed', fields: { [field]: text } });
        // Nothing is stored for a client session that has ended: no other replica uses its sessions with backends, so this replica uses its own.
        return read(stored) ?? opened;
      },
    };
  }

  /** Whether another replica uses the session on a connection, and therefore will end it. */
  isUsedElsewhere({ identity }: BackendConnection): Promise<boolean> {
    return this.#uses.isUsedElsewhere(this.#session.id, identity);
  }

  #hasSession(backend: string, text: string | null): void {
    const { payload } = this.#session;
    this.#backends.add(backend);
    if (payload.isListening) this.knowBackends();
    const connection = this.#gateway.connections.get(backend);
    const saved = connection === undefined ? undefined : readFor(connection, text);
    if (connection !== undefined && saved !== undefined) payload.usedBackend(connection)?.moveTo?.(saved);
  }

  /** Begins to use the sessions with backends that other replicas have opened. */
  knowBackends(): void {
    for (const name of this.#backends) {
      const connection = this.#gateway.connections.get(name);
      if (connection !== undefined) this.#session.payload.backend(connection);
    }
  }

  /** Whether a client's answer is for a question that another replica asked. */
  belongsElsewhere({ id }: Envelope): boolean {
    const replica = readReplica(id);
    return replica !== undefined && replica !== this.#all.replica;
  }

  forwardAnswer({ id, text }: Envelope): void {
    const session = formatSessionKey(this.#session.id);
    this.#answers.forward({ to: readReplica(id) as number, session, text }, id as string);
  }

  /** Forwards progress to the replica of its question. Returns false when the progress belongs to a question of this replica, or to none. */
  forwardProgress(envelope: Envelope): boolean {
    const replica = readReplica(readProgressToken(envelope));
    if (replica === undefined || replica === this.#all.replica) return false;
    this.#send(replica, { type: 'progress', text: envelope.text });
    return true;
  }

  /** Sends the message to all other replicas; the replica with the request handles it. */
  forward(type: 'cancelled', { text }: Envelope): void {
    this.#send('others', { type, text });
  }

  receive({ type, from, text = '' }: ReplicaMessage): void {
    const { payload } = this.#session;
    if (type === 'listening') payload.unlisten();
    else if (type === 'answer') {
      const answer = readEnvelope(text);
      payload.answered(answer);
      this.#send(from, { type: 'answer-received', text: answer.id ?? '' });
    } else if (type === 'answer-received') this.#answers.received(formatSessionKey(this.#session.id), text);
    else if (type === 'progress') payload.progressed(readEnvelope(text));
    else if (type === 'cancelled') {
      const { requestId } = readEnvelope(text);
      if (requestId !== undefined) payload.cancel(requestId, text);
    }
  }

  #send(to: number | 'others', message: Omit<ReplicaMessage, 'from' | 'session'>): void {
    this.#all.send(to, { ...message, session: formatSessionKey(this.#session.id) }).catch((error: Error) => {
      const { type } = message;
      this.#gateway.log.warn({ type, cause: error.message }, 'a message to other replicas could not be sent');
    });
  }

  #subscribed(uri: string, text: string | null): void {
    const { payload } = this.#session;
    const stored = text === null ? undefined : (JSON.parse(text) as StoredSubscription);
    const found = stored && this.#gateway.connections.get(stored.backend);
    const connection = found?.identity === stored?.reach ? found : undefined;
    const previous = payload.subscriptions.get(uri);
    this.#moving.delete(uri);
    if (text !== null && connection === undefined) {
      // Ignored: it rejects when the client's session has ended.
      this.#movedSubscription(uri, text).catch(() => {});
    }
    if (previous === connection) return;
    if (previous !== undefined) payload.usedBackend(previous)?.subscribedElsewhere?.(uri, false);
    if (connection === undefined) payload.subscriptions.delete(uri);
    else {
      payload.subscriptions.set(uri, connection);
      payload.listenToBackend(connection).subscribedElsewhere?.(uri, true);
    }
  }

  /** Adopts a subscription that a replica with another bundle has made: in this bundle, another backend may have the resource. */
  async #movedSubscription(uri: string, text: string): Promise<void> {
    this.#moving.set(uri, text);
    const { backend } = JSON.parse(text) as StoredSubscription;
    const isStillSubscribed = () => this.#moving.get(uri) === text && !this.#session.payload.isClosed;
    await placeSubscription(this.#gateway, this.#session.payload, { uri, backend, isStillSubscribed });
    if (this.#moving.get(uri) === text) this.#moving.delete(uri);
  }

  #taskMade(name: string): void {
    const colon = name.indexOf(':');
    const connection = this.#gateway.connections.get(name.slice(0, colon));
    const { payload } = this.#session;
    if (connection === undefined || payload.tasks.find(name) !== undefined) return;
    payload.tasks.made({ backend: payload.backend(connection), connection }, name.slice(colon + 1));
  }
}

/** The stored session with a backend; undefined when there is none, or only one with another backend of the same name. */
function readFor({ identity }: BackendConnection, text: string | null | undefined): SavedBackendSession | undefined {
  if (!text) return undefined;
  const { reach, ...saved } = JSON.parse(text) as StoredBackendSession;
  return reach === identity ? saved : undefined;
}
