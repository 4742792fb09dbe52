import { PAGE_PARTS, PAGE_PATH } from '#schemas';

/** A path relative to the page, because a proxy may serve the registry server below a path. */
const joinBelow = (path: string): string => path.replace(PAGE_PATH, PAGE_PATH.slice(1));

export const MARKUP = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>MCP servers</title>
<link rel="stylesheet" href="${joinBelow(PAGE_PARTS.css)}">
<script src="${joinBelow(PAGE_PARTS.js)}" defer></script>
</head>
<body>
<header>
<h1>MCP servers</h1>
<noscript><p>This page needs its script. Programs read the same data: see <a href="openapi.json">openapi.json</a>.</p></noscript>
<nav aria-label="Registries" hidden><ul id="registries"></ul></nav>
<form id="search-form" role="search" hidden>
<label for="search">Search</label>
<input id="search" type="search" maxlength="256" autocomplete="off" spellcheck="false">
</form>
<p id="status" role="status"></p>
</header>
<main>
<section id="sign-in" aria-labelledby="sign-in-title" hidden>
<h2 id="sign-in-title" tabindex="-1">Sign in with a token</h2>
<p id="refusal" class="warn"></p>
<p>This registry shows its entries to callers with an access token:</p>
<dl id="wanted-token"></dl>
<p>Ask the operator of the registry how to get one. The token stays in the memory of this page, and is gone when you reload or close it.</p>
<form id="token-form">
<label for="token">Access token</label>
<input id="token" type="password" autocomplete="off" spellcheck="false">
<button type="submit">Show the entries</button>
</form>
</section>
<div id="content"></div>
</main>
<footer><button id="sign-out" type="button" hidden>Forget the token</button></footer>
</body>
</html>
`;
