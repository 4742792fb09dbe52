import { ResponseValidator, type ResponseViolation, validateResponse } from '../../messages/response-validator.ts';

/** Looks at a body while it comes: whether it is the response to the request. One that comes in one piece takes the short way. */
export class ResponseScan {
  private readonly _id: string;
  private readonly _length: number | undefined;
  private _answer: ResponseValidator | undefined;

  /**
   * @param id the request's, as JSON text
   * @param length of the body in bytes, when known
   */
  constructor(id: string, length: number | undefined) {
    this._id = id;
    this._length = length;
  }

  /** What is wrong with all of it so far; undefined when nothing is. */
  push(chunk: Buffer): ResponseViolation | undefined {
    if (chunk.length === this._length) return validateResponse(chunk, this._id);
    this._answer ??= new ResponseValidator(this._id);
    return this._answer.push(chunk) ? undefined : this._answer.violation;
  }

  /** It has come in pieces, and may be an error without an id. */
  get mayLackId(): boolean {
    return this._answer?.mayLackId === true;
  }

  /** What is wrong when it has come in pieces and nothing more comes. */
  get violationAtEnd(): ResponseViolation | undefined {
    return this._answer?.violationAtEnd;
  }

  /** What was wrong with the last piece; undefined when none has come. */
  get violation(): ResponseViolation | undefined {
    return this._answer?.violation;
  }
}
