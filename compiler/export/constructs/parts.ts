import type { Comments } from '../comments.ts';

/** What an object needs in addition to the code for its own fields. */
export interface ConstructExtras {
  readonly comments: Comments;
  /** Annotations that the object gets in addition to its own. */
  readonly annotations: Readonly<Record<string, string>>;
}
