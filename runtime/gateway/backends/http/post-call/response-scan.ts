import { ResponseValidator, type ResponseViolation, validateResponse } from '../../messages/response-validator.ts';

/** Checks while a body arrives whether it is the response to the request. A body in one piece takes a faster path. */
export class ResponseScan {
  private readonly _id: string;
  private readonly _length: number | undefined;
  private _answer: ResponseValidator | undefined;

  /**
   * @param id id of the request, as JSON text
   * @param length length of the body in bytes, when known
   */
  constructor(id: string, length: number | undefined) {
    this._id = id;
    this._length = length;
  }

  /** The violation in the body so far; undefined when there is none. */
  push(chunk: Buffer): ResponseViolation | undefined {
    if (chunk.length === this._length) return validateResponse(chunk, this._id);
    this._answer ??= new ResponseValidator(this._id);
    return this._answer.push(chunk) ? undefined : this._answer.violation;
  }

  /** Whether the body may be an error without an id that arrived in pieces. */
  get mayLackId(): boolean {
    return this._answer?.mayLackId === true;
  }

  /** The violation of a body in pieces, if the body ends after the last piece. */
  get violationAtEnd(): ResponseViolation | undefined {
    return this._answer?.violationAtEnd;
  }

  /** The violation of the last piece; undefined when no piece has arrived. */
  get violation(): ResponseViolation | undefined {
    return this._answer?.violation;
  }
}
