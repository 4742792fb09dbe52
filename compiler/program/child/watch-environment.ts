import { note } from './observations.ts';

/** Records the names of variables that the program reads and does not have: they may be set outside. */
export function watchEnvironment(): void {
  const environment = process.env;
  const watched = new Proxy(environment, {
    get: (target, name) => {
      const value = Reflect.get(target, name) as unknown;
      if (value === undefined && typeof name === 'string') note('environment', name);
      return value;
    },
  });
  Object.defineProperty(process, 'env', { value: watched, writable: true, configurable: true, enumerable: true });
}
