/** The body of an answer as bytes, with its entity tag, and with the compressed forms that clients have requested. */
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { PreparedBody } from '../api.ts';

type Coding = 'br' | 'gzip';

/** Minimum size for compression, in bytes: a body that fits into one packet does not arrive sooner if it is compressed. */
const MIN_CODED_BYTES = 1_024;

const CODERS: { readonly [coding in Coding]: (bytes: Buffer) => Promise<Buffer> } = {
  gzip: bytes => promisify(gzip)(bytes, { level: 6 }),
  // The first client waits while its page is compressed. Levels above 5 take many times as long, and save only a few percent.
  br: bytes =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 5,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
};

export class PreparedResponse implements PreparedBody {
  readonly bytes: Buffer;
  readonly mediaType: PreparedBody['mediaType'];
  readonly etag: string;
  /** Called when the size has grown by a compressed form. */
  onGrowth: (() => void) | undefined;
  readonly #coded = new Map<Coding, Promise<Buffer> | Buffer>();
  #size: number;

  constructor(bytes: Buffer, mediaType: PreparedBody['mediaType'] = 'application/json') {
    this.bytes = bytes;
    this.mediaType = mediaType;
    this.#size = bytes.length;
    this.etag = `"${hash('sha256', bytes, 'base64url').slice(0, 27)}"`;
  }

  /** The size in bytes, including all compressed forms. */
  get size(): number {
    return this.#size;
  }

  encoded(coding: Coding): Promise<Buffer> | Buffer | undefined {
    if (this.bytes.length < MIN_CODED_BYTES) return undefined;
    let coded = this.#coded.get(coding);
    if (coded === undefined) {
      coded = this.#encode(coding);
      this.#coded.set(coding, coded);
    }
    return coded;
  }

  async #encode(coding: Coding): Promise<Buffer> {
    try {
      const coded = await CODERS[coding](this.bytes);
      this.#coded.set(coding, coded);
      this.#size += coded.length;
      this.onGrowth?.();
      return coded;
    } catch (error) {
      this.#coded.delete(coding);
      throw error;
    }
  }
}
