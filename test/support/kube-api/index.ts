export { type AccessQuestion, type Authorize, createUser, roleBasedAccess } from './access.ts';
export { ApiError } from './api-error.ts';
export { type Answer, ApiClient, type Connection, type RequestSettings, type WatchLine } from './client.ts';
export type { Clock } from './clock.ts';
export { crds } from './crds.ts';
export type { Fault, Matcher } from './faults.ts';
export type { ApiRequest, User } from './request.ts';
export { type KubeApi, type KubeApiOptions, type Logged, type OnRequest, startKubeApi, TOKEN } from './server.ts';
