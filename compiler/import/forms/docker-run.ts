/** A server that another program runs in a container: `docker run` starts it on this machine, and a bridge connects to it. */
import type { FoundProgram } from '../found.ts';

export interface FoundContainer {
  readonly image: string;
  readonly command: readonly string[];
  /** `/on/this/machine:/in/the/container`, maybe with `:ro`. */
  readonly volumes: readonly string[];
  readonly user: string | undefined;
  readonly hasNetwork: boolean;
  readonly variables: readonly (readonly [name: string, value: string])[];
  readonly tools: readonly string[] | undefined;
}

/**
 * The container ends with the program that started it (`-i`, `--rm`). Variables are passed by name, so that their values never appear in the
 * arguments.
 */
export function toDockerRun(container: FoundContainer): FoundProgram {
  const { image, command, volumes, user, hasNetwork, variables, tools } = container;
  const options = [
    ...['run', '-i', '--rm', '--init'],
    ...(hasNetwork ? [] : ['--network', 'none']),
    ...(user === undefined ? [] : ['--user', user]),
    ...volumes.flatMap(volume => ['-v', volume]),
    ...variables.flatMap(([name]) => ['-e', name]),
    image,
  ];
  const args = [...options, ...command];
  return { command: 'docker', args, firstArgument: options.length, variables, workingDir: undefined, tools };
}
