/** The listing API of a registry server: lists, details and versions of servers, and the document that describes the API. */
export { createOpenApiDocument } from './openapi.ts';
export { PreparedResponse } from './prepared.ts';
export { createRegistryApi } from './registry-api.ts';
