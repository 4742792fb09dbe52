/** The modules of undici that the runtime loads by path; their types are those of the package's root. */

declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici';
}

declare module 'undici/lib/core/connect.js' {
  export { buildConnector as default } from 'undici';
}

declare module 'undici/lib/core/errors.js' {
  import { errors } from 'undici';
  export default errors;
}
