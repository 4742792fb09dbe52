import type { Comments } from '../comments.ts';

/** What is written besides the fields of an object. */
export interface ConstructExtras {
  readonly comments: Comments;
  /** To be added to those of the object. */
  readonly annotations: Readonly<Record<string, string>>;
}
