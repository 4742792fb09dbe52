/** The registry's API: lists, details and versions of servers, and the document that describes it. */
export { createOpenApiDocument } from './openapi.ts';
export { PreparedResponse } from './prepared.ts';
export { createRegistryApi } from './registry-api.ts';
