/** Creates the OpenAPI description of a bundle: the paths that the bundle serves, and whether they require a token. */
import {
  API_DOCUMENT_PATH,
  API_DOCUMENT_YAML_PATH,
  type JsonObject,
  PAGE_PARTS,
  type PagePart,
  REGISTRY_PATH,
  REGISTRY_ROUTES,
  type RegistryApiVersion,
  type RegistryBundle,
  type RegistryOperationType,
  type RegistryRoutePlan,
} from '#schemas';
import type { ApiDescription } from '../api.ts';
import {
  describeContent,
  describePlainContent,
  HEADERS,
  PARAMETERS,
  RESPONSES,
  SCHEMAS,
  toParameterRef,
  toResponseRef,
  toSchemaRef,
} from './openapi-parts.ts';
import { PreparedResponse } from './prepared.ts';
import { formatYaml, type YamlValue } from './yaml-text.ts';

type DescribedServer = Pick<RegistryBundle, 'auth' | 'authorization' | 'name' | 'registries' | 'routes'>;

/** An operation on a registry, without its access rule. */
interface Operation {
  readonly id: string;
  readonly summary: string;
  readonly parameters: readonly string[];
  readonly answer: JsonObject;
  readonly failures: JsonObject;
}

const BAD_REQUEST = { 400: toResponseRef('badRequest') };
const NOT_FOUND = { 404: toResponseRef('notFound') };

const OPERATIONS: { readonly [type in RegistryOperationType]: Operation } = {
  servers: {
    id: 'listServers',
    summary: 'Servers by name, the newest version of each first',
    parameters: ['cursor', 'limit', 'search', 'updatedSince', 'versionFilter', 'includeDeleted'],
    answer: describeContent('A page of servers.', toSchemaRef('ServerList')),
    failures: BAD_REQUEST,
  },
  versions: {
    id: 'listVersions',
    summary: 'All versions of a server, the one published last first',
    parameters: ['serverName', 'includeDeleted'],
    answer: describeContent('All versions, on one page.', toSchemaRef('ServerList')),
    failures: { ...BAD_REQUEST, ...NOT_FOUND },
  },
  version: {
    id: 'getVersion',
    summary: 'One version of a server',
    parameters: ['serverName', 'version', 'includeDeleted'],
    answer: describeContent('The version.', toSchemaRef('ServerResponse')),
    failures: { ...BAD_REQUEST, ...NOT_FOUND },
  },
};

/** The suffixes of operation ids per API version, because no two operations of a document may have the same id. */
const ID_PARTS: { readonly [version in RegistryApiVersion]: string } = { 'v0.1': '', v0: 'V0' };

/** The other possible responses of every prepared answer. */
const CONDITIONAL: JsonObject = { 304: toResponseRef('notModified'), 406: toResponseRef('notAcceptable') };
const FAILURES: JsonObject = { 414: toResponseRef('tooLong'), default: toResponseRef('unexpected') };

/**
 * The OpenAPI document of a bundle, which is the same for every caller.
 *
 * @throws Error for a route of the bundle that this runtime does not know
 * @see https://spec.openapis.org/oas/v3.1.0
 */
export function createOpenApiDocument(bundle: DescribedServer): ApiDescription {
  const { auth, name, registries, routes } = bundle;
  const document = {
    openapi: '3.1.0',
    info: {
      title: `MCP registry ${name}`,
      version: '0.1',
      description:
        'Every registry is served as the official MCP registry API v0.1 below its own path, and the same as v0. The API is read ' +
        'only: GET as described here, and HEAD for the same without content. Any other method is answered with 405.',
    },
    tags: registries.map(({ name }) => ({ name, description: `The registry at ${REGISTRY_PATH}/${name}.` })),
    paths: Object.fromEntries(routes.map(route => [route.path, { get: buildOperation(route, bundle) }])),
    components: {
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: RESPONSES,
      schemas: SCHEMAS,
      ...(auth.mode === 'oauth' && {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description: `An access token of one of the authorization servers that ${auth.resourceMetadata.url} names.`,
          },
        },
      }),
    },
  };
  const json = JSON.stringify(document);
  return {
    json: new PreparedResponse(Buffer.from(json)),
    yaml: new PreparedResponse(Buffer.from(formatYaml(JSON.parse(json) as YamlValue)), 'application/yaml'),
  };
}

function buildOperation(route: RegistryRoutePlan, bundle: DescribedServer): JsonObject {
  const { path, registry } = route;
  const part = (Object.keys(PAGE_PARTS) as PagePart[]).find(value => PAGE_PARTS[value] === path);
  if (part !== undefined) return describePage(part);
  if (path === API_DOCUMENT_PATH) return describeDocument('', 'application/json');
  if (path === API_DOCUMENT_YAML_PATH) return describeDocument('Yaml', 'application/yaml');
  const known = REGISTRY_ROUTES.find(registryRoute => path === `${REGISTRY_PATH}/${registry}${registryRoute.path}`);
  if (registry !== null && known !== undefined) {
    const { operation, version } = known;
    return describeRegistry(OPERATIONS[operation], ID_PARTS[version], registry, route, bundle);
  }
  const position = bundle.auth.mode === 'oauth' ? bundle.auth.resourceMetadata.paths.indexOf(path) : -1;
  if (position !== -1) return describeMetadata(position);
  throw new Error(`unknown route ${route.method} ${path}`);
}

function describeRegistry(
  { id, summary, parameters, answer, failures }: Operation,
  idPart: string,
  registry: string,
  route: RegistryRoutePlan,
  bundle: DescribedServer,
): JsonObject {
  const asksForToken = bundle.auth.mode === 'oauth' && route.access === 'caller';
  return {
    tags: [registry],
    operationId: `${id}${idPart}_${registry}`,
    summary,
    security: asksForToken ? [{ bearer: [] }] : [],
    parameters: [...parameters, 'ifNoneMatch'].map(toParameterRef),
    responses: {
      200: answer,
      ...CONDITIONAL,
      ...failures,
      ...(asksForToken && { 401: toResponseRef('unauthorized'), 503: toResponseRef('unavailable') }),
      ...(mayForbid(route, bundle) && { 403: toResponseRef('forbidden') }),
      ...FAILURES,
    },
  };
}

/** Whether a caller with a valid token may get 403, because the registry requires claims. Without a token, callers have no claims. */
function mayForbid({ access, registry }: RegistryRoutePlan, { authorization, registries }: DescribedServer): boolean {
  if (authorization.type === 'none') return false;
  if (access === 'caller') return authorization.type === 'claims';
  return registries.some(({ name, claims }) => name === registry && claims !== null);
}

/** Describes the route of the API description itself. @param idPart the suffix of the operation's id */
function describeDocument(idPart: string, mediaType: string): JsonObject {
  return {
    operationId: `getApiDescription${idPart}`,
    summary: 'This document',
    security: [],
    parameters: [toParameterRef('ifNoneMatch')],
    responses: {
      200: describeContent('An OpenAPI document.', { type: 'object' }, mediaType),
      ...CONDITIONAL,
      ...FAILURES,
    },
  };
}

const PAGE_CONTENT: { readonly [part in PagePart]: readonly [id: string, summary: string, mediaType: string] } = {
  html: ['getPage', 'A web page that shows what this API lists', 'text/html; charset=utf-8'],
  css: ['getPageStyle', 'How the page looks', 'text/css; charset=utf-8'],
  js: ['getPageScript', 'What the page does', 'text/javascript; charset=utf-8'],
};

function describePage(part: PagePart): JsonObject {
  const [operationId, summary, mediaType] = PAGE_CONTENT[part];
  return {
    operationId,
    summary,
    security: [],
    parameters: [toParameterRef('ifNoneMatch')],
    responses: {
      200: describeContent('A part of the page.', { type: 'string' }, mediaType),
      ...CONDITIONAL,
      ...FAILURES,
    },
  };
}

/** @param position the index among the paths with the same document */
function describeMetadata(position: number): JsonObject {
  return {
    operationId: `getResourceMetadata${position === 0 ? '' : position + 1}`,
    summary: 'Where callers get their tokens',
    security: [],
    responses: {
      200: describePlainContent('The metadata.', toSchemaRef('ResourceMetadata')),
      default: toResponseRef('unexpected'),
    },
  };
}
