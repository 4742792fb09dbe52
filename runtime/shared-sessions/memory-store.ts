import {
  MAX_SHARED_EVENT_BYTES,
  MAX_SHARED_EVENTS,
  type ReplicaMessage,
  randomReplica,
  type SessionFields,
  type SharedEvent,
  type SharedSessions,
  StoreAwayError,
  sessionKey,
} from './store.ts';

interface KeptSession {
  readonly fields: Map<string, string>;
  readonly events: SharedEvent[];
  until: number;
}

/** Sessions that several replicas inside of one process share. */
export class MemorySessions {
  readonly sessions: Map<string, KeptSession> = new Map();
  readonly replicas: Map<number, MemoryReplica> = new Map();
  /** Nobody reaches it for now. */
  isAway = false;
  readonly now: () => number;

  /** @param now a clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  join(): SharedSessions {
    let number = randomReplica();
    while (this.replicas.has(number)) number = randomReplica();
    const replica = new MemoryReplica(this, number);
    this.replicas.set(number, replica);
    return replica;
  }

  /** @throws StoreAwayError */
  find(id: string): KeptSession | undefined {
    if (this.isAway) throw new StoreAwayError('away');
    const session = this.sessions.get(id);
    if (session === undefined || session.until > this.now()) return session;
    this.sessions.delete(id);
    return undefined;
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
    this.#all.find(id);
    this.#all.sessions.set(id, {
      fields: new Map(Object.entries(fields)),
      events: [],
      until: this.#all.now() + ttlMs,
    });
  }

  async load(id: string, ttlMs: number): Promise<SessionFields | undefined> {
    const session = this.#all.find(id);
    if (session === undefined) return undefined;
    if (ttlMs > 0) session.until = this.#all.now() + ttlMs;
    return Object.fromEntries(session.fields);
  }

  async change(id: string, fields: Readonly<Record<string, string | null>>): Promise<boolean> {
    const session = this.#all.find(id);
    if (session === undefined) return false;
    for (const [name, value] of Object.entries(fields)) {
      if (value === null) session.fields.delete(name);
      else session.fields.set(name, value);
    }
    await this.tell('others', { type: 'changed', session: sessionKey(id), fields });
    return true;
  }

  async claim(id: string, field: string, value: string, instead: string | undefined): Promise<string | undefined> {
    const fields = this.#all.find(id)?.fields;
    if (fields === undefined) return undefined;
    const now = fields.get(field);
    if (now === undefined || now === instead) fields.set(field, value);
    return fields.get(field);
  }

  async end(id: string): Promise<boolean> {
    const isThere = this.#all.find(id) !== undefined;
    this.#all.sessions.delete(id);
    await this.tell('others', { type: 'ended', session: sessionKey(id) });
    return isThere;
  }

  async keep(ids: readonly string[], ttlMs: number): Promise<ReadonlySet<string>> {
    const found = await this.existing(ids);
    for (const id of found) (this.#all.find(id) as KeptSession).until = this.#all.now() + ttlMs;
    return found;
  }

  async existing(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(ids.filter(id => this.#all.find(id) !== undefined));
  }

  async keepEvent(id: string, event: SharedEvent): Promise<void> {
    const events = this.#all.find(id)?.events;
    if (events === undefined) return;
    events.push(event);
    const bytes = () => events.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    while (events.length > MAX_SHARED_EVENTS || bytes() > MAX_SHARED_EVENT_BYTES) events.shift();
  }

  async events(id: string, stream: string): Promise<readonly SharedEvent[]> {
    return (this.#all.find(id)?.events ?? []).filter(event => event.stream === stream);
  }

  async tell(to: number | 'others', message: Omit<ReplicaMessage, 'from'>): Promise<boolean> {
    if (this.#all.isAway) throw new StoreAwayError('away');
    const { replicas } = this.#all;
    const heard = to === 'others' ? [...replicas.values()].filter(other => other !== this) : [replicas.get(to)];
    for (const other of heard) other?.hear({ ...message, from: this.replica });
    return to === 'others' || replicas.has(to);
  }

  async isAlive(replica: number): Promise<boolean> {
    this.#all.find('');
    return this.#all.replicas.has(replica);
  }

  hear(message: ReplicaMessage): void {
    queueMicrotask(() => this.#onMessage(message));
  }

  onMessage(listener: (message: ReplicaMessage) => void): void {
    this.#onMessage = listener;
  }

  /** Nothing is missed inside of one process. */
  onGap(): void {}

  close(): void {
    this.#all.replicas.delete(this.replica);
  }
}
