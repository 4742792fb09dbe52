/** What a registry server lists, as of one reading of a source. */

/** One version of one server. */
export interface ServerEntry {
  readonly name: string;
  readonly version: string;
  readonly title: string | null;
  readonly description: string;
  /** The tags of the publisher's metadata, sorted, each once. */
  readonly tags: readonly string[];
  readonly status: 'active' | 'deprecated' | 'deleted';
  /** As a registry wrote it; undefined where none did. */
  readonly statusMessage: string | undefined;
  /** RFC 3339; undefined where nothing tells. */
  readonly statusChangedAt: string | undefined;
  /** RFC 3339; null where nothing tells. */
  readonly publishedAt: string | null;
  readonly updatedAt: string | null;
  /** `server.json` as compact JSON text in UTF-8. */
  readonly json: Uint8Array;
}

/** The entries of a source that its filter lets through. It never changes; the next reading makes another one. */
export interface Snapshot {
  readonly source: string;
  /** Equal for equal entries. */
  readonly revision: string;
  /** By name, then version, in code units; each pair once. */
  readonly entries: readonly ServerEntry[];
}

/** How reading a source goes, for operators. */
export interface SourceStatus {
  readonly name: string;
  readonly type: 'api' | 'bundled' | 'file' | 'git' | 'url';
  readonly phase: 'complete' | 'failed' | 'syncing';
  /** Entries that are listed now, whenever they were read. */
  readonly servers: number;
  /** When it was read last with success; RFC 3339. Null: never, by this process or one before. */
  readonly lastSync: string | null;
  /** When it was tried last. */
  readonly lastAttempt: string | null;
  /** Failures in a row. */
  readonly attempts: number;
  /** Why the last attempt failed, or what the last good reading left out, without credentials; empty when nothing is to say. */
  readonly message: string;
  /** The entries are those that an earlier process had read: this process has not read the source yet. */
  readonly isFromDisk: boolean;
}
