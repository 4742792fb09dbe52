/** Check at run time whether a value has the type of a prop: no type checker has seen the values of specs. */

type Fits = (value: unknown) => boolean;

const text =
  (pattern: RegExp): Fits =>
  value =>
    typeof value === 'string' && pattern.test(value);

export const isText: Fits = value => typeof value === 'string';
export const isHttps: Fits = text(/^https:\/\//);
export const isHttp: Fits = text(/^http:\/\//);
const isLoopback: Fits = text(/^http:\/\/(localhost|127\.0\.0\.1|\[::1\])($|[:/])/);
export const isSafeUrl: Fits = value => isHttps(value) || isLoopback(value);
export const isAbsolutePath: Fits = text(/^\//);
/** An address `host:port`. */
export const isAddress: Fits = text(/^[^:]*:\d+$/);
export const isPeriod: Fits = text(/^\d+(\.\d+)?(ms|s|m|h)$|^\d+h\d+m$|^(\d+h)?\d+m\d+s$/);
/** A workflow's duration: up to three parts, each with a number and a unit. */
export const isDuration: Fits = text(/^(\d+(\.\d+)?(ms|s|m|h)){1,3}$/);
export const isNumeral: Fits = text(/^\d+(\.\d+)?$/);
export const isRoleArn: Fits = text(/^arn:(aws|aws-cn|aws-us-gov):iam::[^:]*:role\//);
export const isRegion: Fits = text(/^[a-z]+(-[a-z]+){1,2}-\d+$/);

export const oneOf =
  (...values: readonly unknown[]): Fits =>
  value =>
    values.includes(value);
