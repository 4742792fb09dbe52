/** The requests and answers of the listing API. Whether a caller may send a request is decided elsewhere, in `http/`. */

/** A request to one registry; its caller may see the registry. */
export interface ApiRequest {
  readonly registry: string;
  /** The sources whose entries the caller may see: a subset of the registry's sources, in the same order. */
  readonly sources: readonly string[];
}

/** The parameters of a listing as received; an empty value counts as missing. */
export interface ListParameters {
  readonly cursor?: string | undefined;
  readonly limit?: string | undefined;
  readonly search?: string | undefined;
  readonly updatedSince?: string | undefined;
  readonly version?: string | undefined;
  readonly includeDeleted?: string | undefined;
}

/** The parameters of requests about one server. */
export interface DetailParameters {
  readonly includeDeleted?: string | undefined;
}

/** The body of an answer, with its entity tag and its compressed forms. */
export interface PreparedBody {
  readonly bytes: Buffer;
  readonly mediaType:
    | 'application/json'
    | 'application/yaml'
    | 'text/css; charset=utf-8'
    | 'text/html; charset=utf-8'
    | 'text/javascript; charset=utf-8';
  /** The strong entity tag, with its quotes, of the uncompressed bytes. */
  readonly etag: string;
  /** The bytes in a content coding, computed once; undefined if compression would not save enough. */
  encoded(coding: 'br' | 'gzip'): Promise<Buffer> | Buffer | undefined;
}

/** The OpenAPI description of the API, in both formats. */
export interface ApiDescription {
  readonly json: PreparedBody;
  readonly yaml: PreparedBody;
}

/** The request cannot be answered; the message is for the client. */
export class ApiError extends Error {
  readonly status: 400 | 404;

  constructor(status: 400 | 404, message: string) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
  }
}

/** The API of the official MCP registry, v0.1 and v0, over the current entries. All methods may throw `ApiError`. */
export interface RegistryApi {
  servers(request: ApiRequest, parameters: ListParameters): PreparedBody;
  /** @param name decoded */
  versions(request: ApiRequest, name: string, parameters?: DetailParameters): PreparedBody;
  /** @param version decoded; `latest` for the latest version */
  version(request: ApiRequest, name: string, version: string, parameters?: DetailParameters): PreparedBody;
}
