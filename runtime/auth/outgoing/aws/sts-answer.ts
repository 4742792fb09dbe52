/** Parses responses of the AWS token service: a few elements of a known document; anything else is refused. */

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

const ACCESS_KEY_ID = /^\w{16,128}$/;
const SECRET_ACCESS_KEY = /^[\w+/=]{16,256}$/;
/** Visible ASCII without XML escapes, because it is used in a header. */
const SESSION_TOKEN = /^[\x21-\x25\x27-\x3b\x3d\x3f-\x7e]+$/;
const EXPIRATION = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;

/** Codes are words; anything else might be request data. */
const ERROR_CODE = /^[A-Z][A-Za-z]{2,63}$/;

/** Temporary credentials; undefined when one part is missing, duplicate or malformed. */
export function readCredentials(xml: string): AwsCredentials | undefined {
  const credentials = readElement(xml, 'Credentials') ?? '';
  const accessKeyId = readElement(credentials, 'AccessKeyId') ?? '';
  const secretAccessKey = readElement(credentials, 'SecretAccessKey') ?? '';
  const sessionToken = readElement(credentials, 'SessionToken') ?? '';
  const expiration = readElement(credentials, 'Expiration') ?? '';
  const expiresAt = Date.parse(expiration);
  const isComplete =
    ACCESS_KEY_ID.test(accessKeyId) &&
    SECRET_ACCESS_KEY.test(secretAccessKey) &&
    SESSION_TOKEN.test(sessionToken) &&
    EXPIRATION.test(expiration) &&
    !Number.isNaN(expiresAt);
  return isComplete ? { accessKeyId, secretAccessKey, sessionToken, expiresAt } : undefined;
}

/** The code of an error, such as `ExpiredTokenException`; undefined without a displayable one. */
export function readErrorCode(xml: string): string | undefined {
  const code = readElement(readElement(xml, 'Error') ?? '', 'Code')?.trim();
  return code !== undefined && ERROR_CODE.test(code) ? code : undefined;
}

/** The content of the only element with that name. */
function readElement(xml: string, name: string): string | undefined {
  const [, inside, ...others] = xml.split(`<${name}>`);
  if (inside === undefined || others.length > 0) return undefined;
  const end = inside.indexOf(`</${name}>`);
  return end === -1 ? undefined : inside.slice(0, end);
}
