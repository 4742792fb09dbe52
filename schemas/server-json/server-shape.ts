/**
 * `server.json` as the official registry defines it, by version. Beyond the schema, it checks rules of the prose on which clients rely: versions
 * are no ranges, icons are on https, an mcpb package has a digest.
 *
 * @see https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json
 */
import { getMember } from '../json-object.ts';
import type { SchemaDate } from './published.ts';
import {
  all,
  anyObject,
  byType,
  flag,
  list,
  object,
  oneOf,
  optional,
  record,
  required,
  type ServerCheck,
  sizedText,
  text,
  textThat,
  uri,
} from './shape.ts';

/** The member of `_meta` for the publisher's data. */
export const PUBLISHER_META = 'io.modelcontextprotocol.registry/publisher-provided';

/** The member of `_meta` for a registry's metadata of an entry. */
export const OFFICIAL_META = 'io.modelcontextprotocol.registry/official';

export const STATUSES = ['active', 'deprecated', 'deleted'] as const;

const NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;
const RANGE = /^[\^~<>=]|^v?(?:\d+\.)*[xX*](?:\.|$)|\|\|/;
const HTTP_URL = /^https?:\/\/\S+$/;
/** Versions before 2025-12-11 had no rule for the start of a URL, and later ones allow a variable there. */
const URL_TEMPLATE = /^(?:https?:\/\/|\{[a-zA-Z_][a-zA-Z0-9_]*\})\S*$/;

const serverName = textThat('a name such as com.example/weather, of 3 to 200 characters', name => {
  return name.length >= 3 && name.length <= 200 && NAME.test(name);
});

/** `latest` is not a version: in the API it names whichever version is the latest. */
const specificVersion = textThat('one version of 1 to 255 characters: neither "latest" nor a range', version => {
  return version !== '' && version.length <= 255 && version !== 'latest' && !RANGE.test(version);
});

const webPage = textThat('an http or https URL', value => HTTP_URL.test(value) && URL.canParse(value));

const repository = object({
  url: required(uri),
  source: required(text),
  id: optional(text),
  subfolder: optional(text),
});

const icon = object({
  src: required(
    textThat('an https URL of at most 255 characters', src => {
      return src.length <= 255 && /^https:\/\/\S+$/.test(src) && URL.canParse(src);
    }),
  ),
  mimeType: optional(oneOf(['image/png', 'image/jpeg', 'image/jpg', 'image/svg+xml', 'image/webp'])),
  sizes: optional(list(textThat('a size such as 48x48, or any', size => /^(?:\d+x\d+|any)$/.test(size)))),
  theme: optional(oneOf(['light', 'dark'])),
});

const inputFields = {
  description: optional(text),
  isRequired: optional(flag),
  isSecret: optional(flag),
  format: optional(oneOf(['string', 'number', 'boolean', 'filepath'])),
  value: optional(text),
  default: optional(text),
  placeholder: optional(text),
  choices: optional(list(text)),
};

const input = object(inputFields);
const variables = optional(record(input));
const keyValue = object({ ...inputFields, variables, name: required(text) });

const valueOrHint: ServerCheck = (value, pointer, problems) => {
  if (getMember(value, 'value') === undefined && getMember(value, 'valueHint') === undefined)
    problems.push({ pointer, message: 'needs "value" or "valueHint"' });
};

const argument = byType({
  positional: all(
    object({ ...inputFields, variables, valueHint: optional(text), isRepeated: optional(flag) }),
    valueOrHint,
  ),
  named: object({ ...inputFields, variables, name: required(text), isRepeated: optional(flag) }),
});

const digestOfArchive: ServerCheck = (value, pointer, problems) => {
  if (getMember(value, 'registryType') === 'mcpb' && getMember(value, 'fileSha256') === undefined)
    problems.push({ pointer, message: 'needs "fileSha256", as every mcpb package' });
};

function createPackageCheck(date: SchemaDate, transport: ServerCheck): ServerCheck {
  const needsVersion = date <= '2025-09-29';
  return all(
    object({
      registryType: required(text),
      identifier: required(text),
      version: { check: specificVersion, isRequired: needsVersion },
      registryBaseUrl: optional(uri),
      fileSha256: optional(textThat('64 lower-case hexadecimal digits', sum => /^[a-f0-9]{64}$/.test(sum))),
      runtimeHint: optional(text),
      transport: required(transport),
      runtimeArguments: optional(list(argument)),
      packageArguments: optional(list(argument)),
      environmentVariables: optional(list(keyValue)),
    }),
    digestOfArchive,
  );
}

function createTransportChecks(date: SchemaDate): { readonly local: ServerCheck; readonly remote: ServerCheck } {
  const isUrl = date === '2025-12-11' ? HTTP_URL : URL_TEMPLATE;
  const url = required(textThat('an http or https URL without white space', value => isUrl.test(value)));
  const http = { url, headers: optional(list(keyValue)) };
  return {
    local: byType({ stdio: anyObject, 'streamable-http': object(http), sse: object(http) }),
    remote: byType({ 'streamable-http': object({ ...http, variables }), sse: object({ ...http, variables }) }),
  };
}

/** The shape of an entry in one published version. */
export function getServerShape(date: SchemaDate): ServerCheck {
  const { local, remote } = createTransportChecks(date);
  return object({
    name: required(serverName),
    description: required(sizedText(1, 100)),
    version: required(specificVersion),
    title: optional(sizedText(1, 100)),
    websiteUrl: optional(webPage),
    repository: optional(repository),
    icons: optional(list(icon)),
    packages: optional(list(createPackageCheck(date, local))),
    remotes: optional(list(remote)),
    _meta: optional(object({ [PUBLISHER_META]: optional(anyObject) })),
    ...(date === '2025-09-16' ? { status: optional(oneOf(STATUSES)) } : {}),
  });
}
