/** Pages that look like an index of a directory in one way or another, and are none. */
interface OtherPage {
  readonly page: string
  /** Default: `files/`. */
  readonly path?: string
}

const paragraph = `<p>${'Lorem ipsum dolor sit amet, consectetur adipisici elit. '.repeat(12)}</p>`
const nav =
  '<nav><a href="/">Home</a> <a href="/blog/">Blog</a> <a href="/about/">About</a> <a href="https://example.org/">Elsewhere</a></nav>'

export const others: Readonly<Record<string, OtherPage>> = {
  'a home page with a nav': {
    path: '',
    page: `<!DOCTYPE html><html><head><title>Jane Doe</title></head><body>${nav}<h1>Jane Doe</h1>${paragraph}</body></html>`,
  },
  'a home page that is called as its host, with a nav of bare names': {
    path: '',
    page:
      '<!DOCTYPE html><title>127.0.0.1</title><h1>Jane Doe</h1><p><a href="blog/">blog</a> <a href="projects/">projects</a> ' +
      '<a href="notes/">notes</a> <a href="https://github.example/jane">github</a></p>',
  },
  'a home page without a title': { path: '', page: `<body><h1>Welcome</h1>${nav}${paragraph}</body>` },
  'a home page of links to sections': {
    path: '',
    page: `<title>The file server</title><ul><li><a href="music/">Music</a><li><a href="films/">Films</a><li><a href="mail/">Mail</a></ul>`,
  },
  'a blog whose posts have dates': {
    path: 'blog/',
    page:
      `<!DOCTYPE html><html><head><title>blog</title></head><body><a href="/">Home</a><h1>Blog</h1><ul>` +
      '<li>2024-05-01 <a href="/blog/my-first-post/">My first post</a></li>' +
      '<li>2024-06-01 <a href="/blog/my-second-post/">My second post</a></li>' +
      '<li>2024-07-01 <a href="/blog/on-files-and-directories/">On files and directories</a></li></ul></body></html>',
  },
  'a blog with teasers': {
    path: 'blog/',
    page:
      `<!DOCTYPE html><title>Index of all posts</title>${nav}` +
      ['one', 'two', 'three'].map((word) => `<h2><a href="${word}/">Post ${word}</a></h2>${paragraph}`).join(''),
  },
  'a page about projects that are called as their paths': {
    path: 'projects/',
    page:
      `<title>projects</title><p><a href="/">home</a></p><ul>` +
      '<li><a href="retriever/">retriever</a>: one client for every kind of URL there is, and then some more of them' +
      '<li><a href="gopherd/">gopherd</a>: a small server for Gopher that never was finished, alas, but works well' +
      '<li><a href="https://github.example/">more</a></ul>',
  },
  'a table of contents': {
    path: 'docs/',
    page:
      `<title>Contents</title><h1>Manual</h1><ol><li><a href="install.html">Installation</a>` +
      '<li><a href="use.html">Use</a><li><a href="faq.html">Questions</a></ol><a href="/">Up</a>',
  },
  'an index of words': {
    path: 'docs/',
    page: `<title>Index: Manual 1.2</title><h1>Index</h1><dl>${'<dt><a href="api.html#x">x()</a></dt>'.repeat(40)}</dl>`,
  },
  'a page of downloads': {
    path: 'files/',
    page:
      `<title>Download Retriever</title><h1>Download</h1>${paragraph}<table><tr><td><a href="retriever-1.0.tar.gz">` +
      'retriever-1.0.tar.gz</a></td><td>2024-05-01</td><td>1.2 MB</td></tr></table>',
  },
  'files that are linked from a page of text': {
    path: 'files/',
    page: `<title>Files</title>${paragraph}<a href="a.txt">a.txt</a>${paragraph}<a href="b.txt">b.txt</a>${paragraph}`,
  },
  'a page about indexes': {
    page: `<title>Index of /files/</title><h1>What "Index of /files/" means</h1>${paragraph}${nav}${'<a href="/x">x</a>'.repeat(9)}`,
  },
  'a page about one, which is quoted': {
    page: `<title>Index of /files/</title><pre>&lt;a href="../"&gt;../&lt;/a&gt;\n${'&lt;a href="a"&gt;a&lt;/a&gt;\n'.repeat(20)}</pre>`,
  },
  'an index of an economy': {
    page: `<title>Index of Economic Freedom</title>${nav}<h1>Index of Economic Freedom</h1>${paragraph}<a href="2024/">The year 2024</a>`,
  },
  'a photo album': {
    path: 'album/',
    page:
      `<title>album</title><h1>Our holiday</h1>${'<a href="1.jpg"><img src="1s.jpg" alt="The sea"></a>'.repeat(3)}` +
      '<a href="2.jpg"><img src="2s.jpg"></a><a href="/">Back</a>',
  },
  'a login page of a file server': {
    page: '<title>/files/ - Login</title><form action="/login"><input name="user"></form><a href="/register">Register</a>',
  },
  'a page that is written by a script': {
    page:
      '<!DOCTYPE html><title>File Browser</title><div id="app"></div><script>document.write(\'<a href="a.txt">a.txt</a>\')' +
      '</script><noscript>Please enable JavaScript.</noscript>',
  },
  'an index of another directory': {
    page:
      '<title>Index of /other/</title><h1>Index of /other/</h1><pre>' +
      '<a href="/other/a.txt">a.txt</a>  2001-02-03 04:05  5\n'.repeat(5),
  },
  'an index of another server': {
    page:
      '<title>Index of /files/</title><pre>' +
      '<a href="http://127.0.0.2/files/a.txt">a.txt</a>  2001-02-03 04:05  5\n'.repeat(5),
  },
  'links that lead two directories down': {
    page: `<title>Files</title><pre>${'<a href="a/b.txt">b.txt</a>  2001-02-03 04:05  5\n'.repeat(5)}`,
  },
  'a page of a path that names a file': {
    path: 'files/index.html',
    page: '<title>Index of /files/</title><h1>Index of /files/</h1><pre><a href="a.txt">a.txt</a>  2001-02-03 04:05  5\n</pre>',
  },
  'a page of a path without / at its end, whose links lead beside it': {
    path: 'files',
    page: '<title>Index of /files/</title><h1>Index of /files/</h1><pre><a href="../">../</a>\n<a href="a.txt">a.txt</a>\n</pre>',
  },
  'a page in frames': {
    page: '<title>Files</title><frameset cols="20%,80%"><frame src="menu.html"><frame src="main.html"></frameset>',
  },
  'a page that only redirects': { page: '<title>/files/</title><meta http-equiv="refresh" content="0; url=/login">' },
  'an about page that leads home': {
    path: 'about/',
    page: '<title>about</title><p>I am Jane.</p><a href="/">home</a>',
  },
  'no HTML at all': { page: 'a.txt\nb.txt\n' },
  'a title that never ends': { page: `<title>Index of /files/${'x'.repeat(3000)}` },
  'a title of nothing': { page: `<title></title>${paragraph}${nav}` },
}
