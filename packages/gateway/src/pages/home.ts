import type { Answer } from '../answer.ts'
import { html } from '../html.ts'
import { pageAnswer } from './layout.ts'

const examples = [
  'ftp://ftp.example.org/pub/',
  'gopher://gopher.example.org/',
  'gemini://gemini.example.org/',
  'news:comp.infosystems.gopher',
  'dict://dict.example.org/d:url',
]

/** The start page. `proxy`: where the proxy listens; null if it does not. */
export function homePage(origin: string, proxy: string | null, signal: AbortSignal): Answer {
  const more =
    proxy === null
      ? null
      : html`<p>The proxy listens on <code>${proxy}</code>; browsers that still ask a proxy for these URLs take
<a href="/proxy.pac">the file for automatic configuration</a>.</p>\n`
  const bookmark = `javascript:location='${origin}/go?url='+encodeURIComponent(location)`
  const content = html`<p>Type any URL in the field above, such as one of these:</p>
<ul>${examples.map((url) => html`<li><code>${url}</code></li>`)}</ul>
<p>A page shows what a URL leads to, and what is sent for it. It has no script, and nothing of a server comes with it:
the octets of a file come from an address of their own.</p>
<h2>In the browser</h2>
<ul>
<li>A search keyword or a handler of <code>web+gopher:</code> and the like: <code>${origin}/go?url=%s</code></li>
<li>A bookmark that opens the page of a link's target: <code>${bookmark}</code></li>
</ul>
${more}`
  return pageAnswer({ title: 'Every URL', url: null, content }, signal)
}

/** The file for automatic configuration: the proxy for what browsers do not know, and nothing else. */
export function proxyFile(proxy: string): string {
  return `function FindProxyForURL(url, host) {
  return /^(?:ftp|gopher|gophers|gemini|wais|news|nntp|finger|dict|prospero):/.test(url) ? 'PROXY ${proxy}' : 'DIRECT'
}
`
}
