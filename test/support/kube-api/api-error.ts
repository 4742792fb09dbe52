/** Errors in the API server's format: a `Status` object. */
import type { JsonObject } from './json.ts';
import type { ResourceType } from './resource-types.ts';

export interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

export class ApiError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: JsonObject | undefined;

  constructor(code: number, reason: string, message: string, details?: JsonObject) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  toStatus(): JsonObject {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      ...(this.reason !== '' && { reason: this.reason }),
      ...(this.details !== undefined && { details: this.details }),
      code: this.code,
    };
  }
}

/** `deployments.apps`, as messages name a type. */
export const qualified = ({ plural, group }: ResourceType): string => (group === '' ? plural : `${plural}.${group}`);

const detailsOf = ({ plural, group }: ResourceType, name: string): JsonObject => ({
  ...(name !== '' && { name }),
  ...(group !== '' && { group }),
  kind: plural,
});

export const badRequest = (message: string): ApiError => new ApiError(400, 'BadRequest', message);

export const notFound = (type: ResourceType, name: string): ApiError =>
  new ApiError(404, 'NotFound', `${qualified(type)} ${JSON.stringify(name)} not found`, detailsOf(type, name));

export const alreadyExists = (type: ResourceType, name: string): ApiError =>
  new ApiError(
    409,
    'AlreadyExists',
    `${qualified(type)} ${JSON.stringify(name)} already exists`,
    detailsOf(type, name),
  );

export const conflict = (type: ResourceType, name: string, why: string): ApiError =>
  new ApiError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(type)} ${JSON.stringify(name)}: ${why}`,
    detailsOf(type, name),
  );

export const modified = (type: ResourceType, name: string): ApiError =>
  conflict(type, name, 'the object has been modified; please apply your changes to the latest version and try again');

export const expired = (message: string): ApiError => new ApiError(410, 'Expired', message);

/** 422 with its causes, which the message repeats. */
export function invalid(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  causes: readonly Cause[],
): ApiError {
  const lines = [
    ...new Set(causes.map(({ field, message }) => (field === undefined ? message : `${field}: ${message}`))),
  ];
  const qualifiedKind = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  const list = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`;
  return new ApiError(422, 'Invalid', `${qualifiedKind} ${JSON.stringify(name)} is invalid: ${list}`, {
    ...(name !== '' && { name }),
    ...(kind.group !== '' && { group: kind.group }),
    kind: kind.kind,
    causes: causes.map(cause => ({ ...cause })),
  });
}
