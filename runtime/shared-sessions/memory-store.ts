import {
  chooseRandomReplica,
  formatSessionKey,
  MAX_SHARED_EVENT_BYTES,
  MAX_SHARED_EVENTS,
  type ReplicaMessage,
  type SessionFields,
  type SharedEvent,
  type SharedSessions,
  StoreAwayError,
} from './store.ts';

interface StoredSession {
  readonly fields: Map<string, string>;
  readonly createdAt: number;
  until: number;
  events: SharedEvent[];
  eventBytes: number;
  eventsUntil: number;
}

/** Limits on all sessions together. */
const MAX_SESSIONS = 10_000;
const MAX_EVENT_BYTES = 64 * 1024 * 1024;

/** Replicas report once a minute which sessions they use. A session that no replica has reported for this long is unused. */
const UNUSED_MS = 150_000;

/** Sessions that several worker processes share, in the memory of the primary process, which also passes messages between the workers. */
export class MemorySessions {
  readonly replicas: Map<number, MemoryReplica> = new Map();
  /** Whether the store acts as if it could not be reached; for tests. */
  isAway = false;
  readonly now: () => number;
  #secret: string | undefined;
  readonly #sessions = new Map<string, StoredSession>();
  /** Sessions that no replica has used since they were opened, the oldest first. */
  readonly #unused = new Set<string>();
  /** Sessions that have events, ordered by their latest event, the oldest first. */
  readonly #withEvents = new Map<string, StoredSession>();
  #eventBytes = 0;

  /** @param now a clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  /** The number of sessions, including expired sessions that have not been deleted yet. */
  get size(): number {
    return this.#sessions.size;
  }

  /** Size of all events that are stored for reconnecting clients, in bytes. */
  get eventBytes(): number {
    return this.#eventBytes;
  }

  join(): MemoryReplica {
    let number = chooseRandomReplica();
    while (this.replicas.has(number)) number = chooseRandomReplica();
    const replica = new MemoryReplica(this, number);
    this.replicas.set(number, replica);
    return replica;
  }

  /** @throws StoreAwayError */
  secret(proposed: string): string {
    this.find('');
    this.#secret ??= proposed;
    return this.#secret;
  }

  /** Deletes expired sessions. */
  sweep(): void {
    const now = this.now();
    for (const [id, { until }] of this.#sessions) if (until <= now) this.delete(id);
    for (const [id, session] of this.#withEvents) if (session.eventsUntil <= now) this.#forgetEvents(id, session);
  }

  /** @throws StoreAwayError */
  find(id: string): StoredSession | undefined {
    if (this.isAway) throw new StoreAwayError('away');
    const session = this.#sessions.get(id);
    if (session === undefined || session.until > this.now()) return session;
    this.delete(id);
    return undefined;
  }

  /** Does the same as {@link find}, and marks the session as used. */
  use(id: string): StoredSession | undefined {
    this.#unused.delete(id);
    return this.find(id);
  }

  /** @throws StoreAwayError when the limit is reached. Before that, sessions that were opened and never used are removed. */
  create(id: string, fields: SessionFields, ttlMs: number): void {
    this.find(id);
    if (this.size >= MAX_SESSIONS) this.sweep();
    if (this.size >= MAX_SESSIONS) this.#evict();
    if (this.size >= MAX_SESSIONS) throw new StoreAwayError('the session store is full');
    const now = this.now();
    this.#sessions.set(id, {
      fields: new Map(Object.entries(fields)),
      createdAt: now,
      until: now + ttlMs,
      events: [],
      eventBytes: 0,
      eventsUntil: 0,
    });
    this.#unused.add(id);
  }

  delete(id: string): void {
    const session = this.#sessions.get(id);
    if (session !== undefined) this.#forgetEvents(id, session);
    this.#sessions.delete(id);
    this.#unused.delete(id);
  }

  keepEvent(id: string, event: SharedEvent, ttlMs: number): void {
    const session = this.find(id);
    if (session === undefined) return;
    session.events.push(event);
    session.eventsUntil = this.now() + ttlMs;
    this.#count(session, Buffer.byteLength(event.text));
    while (session.events.length > MAX_SHARED_EVENTS || session.eventBytes > MAX_SHARED_EVENT_BYTES) {
      this.#count(session, -Buffer.byteLength(session.events.shift()?.text ?? ''));
    }
    this.#withEvents.delete(id);
    this.#withEvents.set(id, session);
    for (const [other, { events }] of this.#withEvents) {
      if (this.#eventBytes <= MAX_EVENT_BYTES) break;
      if (events.length > 0) this.#forgetEvents(other, this.#withEvents.get(other) as StoredSession);
    }
  }

  events(id: string): readonly SharedEvent[] {
    const session = this.find(id);
    return session === undefined || session.eventsUntil <= this.now() ? [] : session.events;
  }

  #count(session: StoredSession, bytes: number): void {
    session.eventBytes += bytes;
    this.#eventBytes += bytes;
  }

  #forgetEvents(id: string, session: StoredSession): void {
    this.#count(session, -session.eventBytes);
    session.events = [];
    this.#withEvents.delete(id);
  }

  #evict(): void {
    const [oldest] = this.#unused;
    if (oldest === undefined || this.now() - (this.#sessions.get(oldest)?.createdAt ?? 0) < UNUSED_MS) return;
    this.delete(oldest);
    for (const replica of this.replicas.values())
      replica.receive({ type: 'ended', session: formatSessionKey(oldest), from: 0 });
  }
}

class MemoryReplica implements SharedSessions {
  readonly replica: number;
  readonly #all: MemorySessions;
  #onMessage: (message: ReplicaMessage) => void = () => {};

  constructor(all: MemorySessions, replica: number) {
    this.#all = all;
    this.replica = replica;
  }

  get isFresh(): boolean {
    return !this.#all.isAway;
  }

  async create(id: string, fields: SessionFields, ttlMs: number): Promise<void> {
    this.#all.create(id, fields, ttlMs);
  }

  async load(id: string, ttlMs: number): Promise<SessionFields | undefined> {
    const session = this.#all.use(id);
    if (session === undefined) return undefined;
    if (ttlMs > 0) session.until = this.#all.now() + ttlMs;
    return Object.fromEntries(session.fields);
  }

  async change(id: string, fields: Readonly<Record<string, string | null>>): Promise<boolean> {
    const session = this.#all.use(id);
    if (session === undefined) return false;
    for (const [name, value] of Object.entries(fields)) {
      if (value === null) session.fields.delete(name);
      else session.fields.set(name, value);
    }
    await this.send('others', { type: 'changed', session: formatSessionKey(id), fields });
    return true;
  }

  async claim(id: string, field: string, value: string, instead: string | undefined): Promise<string | undefined> {
    const fields = this.#all.use(id)?.fields;
    if (fields === undefined) return undefined;
    const now = fields.get(field);
    if (now === undefined || now === instead) fields.set(field, value);
    return fields.get(field);
  }

  async end(id: string): Promise<boolean> {
    const exists = this.#all.find(id) !== undefined;
    this.#all.delete(id);
    await this.send('others', { type: 'ended', session: formatSessionKey(id) });
    return exists;
  }

  async keep(ids: readonly string[], ttlMs: number): Promise<ReadonlySet<string>> {
    const found = await this.existing(ids);
    for (const id of found) (this.#all.use(id) as StoredSession).until = this.#all.now() + ttlMs;
    return found;
  }

  async existing(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(ids.filter(id => this.#all.find(id) !== undefined));
  }

  async keepEvent(id: string, event: SharedEvent, ttlMs: number): Promise<void> {
    this.#all.keepEvent(id, event, ttlMs);
  }

  async events(id: string, stream: string): Promise<readonly SharedEvent[]> {
    return this.#all.events(id).filter(event => event.stream === stream);
  }

  async secret(proposed: string): Promise<string> {
    return this.#all.secret(proposed);
  }

  async send(to: number | 'others', message: Omit<ReplicaMessage, 'from'>): Promise<boolean> {
    if (this.#all.isAway) throw new StoreAwayError('away');
    const { replicas } = this.#all;
    const receivers = to === 'others' ? [...replicas.values()].filter(other => other !== this) : [replicas.get(to)];
    for (const other of receivers) other?.receive({ ...message, from: this.replica });
    return to === 'others' || replicas.has(to);
  }

  async isAlive(replica: number): Promise<boolean> {
    this.#all.find('');
    return this.#all.replicas.has(replica);
  }

  receive(message: ReplicaMessage): void {
    queueMicrotask(() => this.#onMessage(message));
  }

  onMessage(listener: (message: ReplicaMessage) => void): void {
    this.#onMessage = listener;
  }

  /** Does nothing: the listener would never be called, because inside one process no message is lost. */
  onGap(): void {}

  close(): void {
    this.#all.replicas.delete(this.replica);
  }
}
