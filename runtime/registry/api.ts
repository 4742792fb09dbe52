/** The requests and answers of the listing API; other code decides which callers may send them. */

/** A request to one registry whose caller may see it. */
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

/** An answer with the data for conditional requests and content codings. */
export interface PreparedBody {
  readonly bytes: Buffer;
  readonly mediaType:
    | 'application/json'
    | 'application/yaml'
    | 'text/css; charset=utf-8'
    | 'text/html; charset=utf-8'
    | 'text/javascript; charset=utf-8';
  /** The strong entity tag with its quotes, for the bytes before any coding. */
  readonly etag: string;
  /** The bytes in a coding, computed once; undefined when the coding does not pay off. */
  encoded(coding: 'br' | 'gzip'): Promise<Buffer> | Buffer | undefined;
}

/** The description of the API, the same in both formats. */
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

/** The API of the official registry, v0.1 and v0, for the current lists. All methods throw `ApiError`. */
export interface RegistryApi {
  servers(request: ApiRequest, parameters: ListParameters): PreparedBody;
  /** @param name decoded */
  versions(request: ApiRequest, name: string, parameters?: DetailParameters): PreparedBody;
  /** @param version decoded; `latest` for the latest one */
  version(request: ApiRequest, name: string, version: string, parameters?: DetailParameters): PreparedBody;
}
