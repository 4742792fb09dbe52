/** Ports of containers and probes, as the API server validates them. */
import type { Path } from '../../../source/source-document.ts';
import type { Refusal } from './pod.ts';

const MAX_PORT = 65_535;
const MAX_NAME = 15;

export function isPortNumber(port: number): boolean {
  return port >= 1 && port <= MAX_PORT;
}

/** Why a port number is invalid. */
export function findPortProblem(port: number): string | undefined {
  return isPortNumber(port) ? undefined : `${port} is no port: a port is a number from 1 to ${MAX_PORT}`;
}

/**
 * Why a port name is invalid.
 * @see https://www.rfc-editor.org/rfc/rfc6335#section-5.1
 */
export function findPortNameProblem(name: string): string | undefined {
  const isName = /^[a-z0-9](?:[a-z0-9]|-(?!-))*$/.test(name) && /[a-z]/.test(name) && !name.endsWith('-');
  if (isName && name.length <= MAX_NAME) return undefined;
  const form = `at most ${MAX_NAME} lower-case letters, digits and single "-" between them, at least one of them a letter`;
  return `${JSON.stringify(name)} is not a valid name of a port: ${form}`;
}

/** Errors of the API server about a port that is given by number or name. */
export function checkPort(port: unknown, path: Path): Refusal[] {
  const problem =
    typeof port === 'string'
      ? findPortNameProblem(port)
      : typeof port === 'bigint' || Number.isInteger(port)
        ? findPortProblem(Number(port))
        : undefined;
  return problem === undefined ? [] : [{ places: [path], message: problem }];
}
