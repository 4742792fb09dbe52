/** The oldest Node version that all programs run on. */
const OLDEST = [22, 19] as const;

/**
 * Why a Node version is too old, or undefined. The executables check it first: an old Node would fail later, with a message about a missing
 * function.
 *
 * @param version as in `process.versions.node`, for example `24.9.0`
 */
export function findNodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return undefined;
  return `Node ${version} is too old, ${OLDEST.join('.')} or later is needed: install a newer one (\`npm install node@24\` puts it into this folder, for \`npx\` and \`npm run\`; in a clone of Lintel \`npm ci\` does, and \`npx node FILE\` runs a file with it)`;
}
