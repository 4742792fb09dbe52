/** What is asked of the listing API, and what it answers; who may ask is decided before. */

/** A request to one registry whose caller may see it. */
export interface ApiRequest {
  readonly registry: string;
  /** The sources whose entries the caller may see: a part of those of the registry, in its order. */
  readonly sources: readonly string[];
}

/** The parameters of a listing as they came; an empty value counts as none. */
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

/** An answer with everything that a conditional request and a content coding need. */
export interface PreparedBody {
  readonly bytes: Buffer;
  readonly mediaType:
    | 'application/json'
    | 'application/yaml'
    | 'text/css; charset=utf-8'
    | 'text/html; charset=utf-8'
    | 'text/javascript; charset=utf-8';
  /** Strong, with its quotes; of the bytes before any coding. */
  readonly etag: string;
  /** The bytes in a coding, once made and kept; undefined where it is not worth it. */
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

/** The API of the official registry, v0.1 and v0, over the current lists. All of it throws `ApiError`. */
export interface RegistryApi {
  servers(request: ApiRequest, parameters: ListParameters): PreparedBody;
  /** @param name decoded */
  versions(request: ApiRequest, name: string, parameters?: DetailParameters): PreparedBody;
  /** @param version decoded; `latest` for the latest one */
  version(request: ApiRequest, name: string, version: string, parameters?: DetailParameters): PreparedBody;
}
