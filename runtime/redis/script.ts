import { createHash } from 'node:crypto';

/** A Lua script that Redis runs as one step. Its text is constant; variable values are passed as keys and arguments. */
export class RedisScript {
  readonly text: string;
  /** SHA-1 of the text, by which the server knows the script. */
  readonly digest: string;

  constructor(text: string) {
    this.text = text;
    this.digest = createHash('sha1').update(text).digest('hex');
  }
}
