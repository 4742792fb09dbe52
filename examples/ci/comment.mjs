/**
 * Writes a Markdown file as a comment on the pull request (GitHub) or merge request (GitLab) of this job. A later run replaces the comment.
 *
 *     node node_modules/lintel/examples/ci/comment.mjs lintel-diff.md
 *
 * Without a token, as in a job for a fork, the script prints that and writes no comment; the text is also in the job's summary or artifacts.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** Begins the comment, so that the next run finds it. */
const MARKER = '<!-- lintel diff -->';

/** Maximum length of the comment; GitHub's limit is 65,536 characters. */
const MOST = 60_000;

const { env } = process;

const forge =
  env.GITLAB_CI === undefined
    ? {
        token: env.GITHUB_TOKEN,
        variables: ['GITHUB_API_URL', 'GITHUB_REPOSITORY', 'PULL_REQUEST'],
        headers: { authorization: `Bearer ${env.GITHUB_TOKEN}`, accept: 'application/vnd.github+json' },
        comments: `${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}/issues/${env.PULL_REQUEST}/comments`,
        one: id => `${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}/issues/comments/${id}`,
        method: 'PATCH',
        // The workflow's token writes as a bot. Comments of people are not replaced.
        isOwn: async ({ user }) => user.type === 'Bot',
      }
    : {
        token: env.LINTEL_COMMENT_TOKEN,
        variables: ['CI_API_V4_URL', 'CI_MERGE_REQUEST_PROJECT_ID', 'CI_MERGE_REQUEST_IID'],
        headers: { 'private-token': env.LINTEL_COMMENT_TOKEN },
        comments: `${env.CI_API_V4_URL}/projects/${env.CI_MERGE_REQUEST_PROJECT_ID}/merge_requests/${env.CI_MERGE_REQUEST_IID}/notes`,
        one: id => `${forge.comments}/${id}`,
        method: 'PUT',
        isOwn: async ({ author }) => author.id === (await call('GET', `${env.CI_API_V4_URL}/user`)).id,
      };

async function call(method, url, body) {
  const response = await fetch(url, {
    method,
    headers: { ...forge.headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify({ body }) }),
  });
  if (!response.ok) throw new Error(`${method} ${new URL(url).pathname}: HTTP ${response.status}`);
  return response.json();
}

/** The comment of an earlier run; undefined if there is none. */
async function former() {
  for (let page = 1; ; page += 1) {
    const comments = await call('GET', `${forge.comments}?per_page=100&page=${page}`);
    for (const comment of comments) if (comment.body.startsWith(MARKER) && (await forge.isOwn(comment))) return comment;
    if (comments.length === 0) return undefined;
  }
}

const [file = 'lintel-diff.md'] = process.argv.slice(2);
const missing = forge.variables.filter(name => !env[name]);
if (!forge.token) {
  console.log('no token, so there is no comment');
} else if (missing.length > 0) {
  console.error(`not set: ${missing.join(', ')}; run this script in the job of a pull request or merge request`);
  process.exitCode = 2;
} else if (!existsSync(file)) {
  console.error(`${file} does not exist: write it with lintel diff --format markdown --output ${file}`);
  process.exitCode = 2;
} else {
  const text = await readFile(file, 'utf8');
  const body = `${MARKER}\n${text.length > MOST ? `${text.slice(0, MOST)}\n\n… shortened; the job has all of it.` : text}`;
  const comment = await former();
  if (comment === undefined) await call('POST', forge.comments, body);
  else await call(forge.method, forge.one(comment.id), body);
}
