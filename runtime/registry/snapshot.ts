/** The entries of a source, as the registry server lists them after one reading of the source. */

/** One version of one server. */
export interface ServerEntry {
  readonly name: string;
  readonly version: string;
  readonly title: string | null;
  readonly description: string;
  /** The tags in the publisher's metadata, sorted and without duplicates. */
  readonly tags: readonly string[];
  readonly status: 'active' | 'deprecated' | 'deleted';
  /** The message about the status, as the upstream registry has it; undefined if there is none. */
  readonly statusMessage: string | undefined;
  /** RFC 3339; undefined when unknown. */
  readonly statusChangedAt: string | undefined;
  /** RFC 3339; null when unknown. */
  readonly publishedAt: string | null;
  readonly updatedAt: string | null;
  /** `server.json` as compact JSON text in UTF-8. */
  readonly json: Uint8Array;
}

/** The entries of a source that pass its filter. A snapshot never changes; the next reading creates another one. */
export interface Snapshot {
  readonly source: string;
  /** A text that is the same for the same entries. */
  readonly revision: string;
  /** Sorted by name, then version, in code units; each pair occurs once. */
  readonly entries: readonly ServerEntry[];
}

/** The state of reading a source, for operators. */
export interface SourceStatus {
  readonly name: string;
  readonly type: 'api' | 'bundled' | 'file' | 'git' | 'url';
  readonly phase: 'complete' | 'failed' | 'syncing';
  /** Number of entries that are currently listed, no matter when they were read. */
  readonly servers: number;
  /** When the source was last read successfully; RFC 3339. Null: never, neither by this process nor by an earlier one. */
  readonly lastSync: string | null;
  /** When reading the source was last tried; RFC 3339. */
  readonly lastAttempt: string | null;
  /** Number of consecutive failures. */
  readonly attempts: number;
  /** Why the last attempt failed, or what the last good reading omitted, without credentials; empty when there is nothing to report. */
  readonly message: string;
  /** Whether the entries come from the disk, where an earlier process stored them, because this process has not read the source yet. */
  readonly isFromDisk: boolean;
}
