import type { Comments } from '../comments.ts';

/** Code besides an object's own fields. */
export interface ConstructExtras {
  readonly comments: Comments;
  /** To add to the object's annotations. */
  readonly annotations: Readonly<Record<string, string>>;
}
