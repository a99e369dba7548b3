/**
 * Index pages of a directory `/files/` with `sub`, `a.txt` (5 octets) and `big.iso` (1,234,567 octets), in the shapes
 * that programs print, with little of their styles. The six in index-pages/ were recorded whole.
 */
export interface Shape {
  readonly page: string
  /** Default: `files/`. */
  readonly path?: string
  /** The page's facts about `a.txt`, and about `big.iso` beyond it. Default: none. */
  readonly size?: 'exact' | 'rough'
  /** `2001-02-03T04:05:06Z`. Default: none. */
  readonly modified?: string
  /** `sub` is written without a `/` at its end, and nothing says what it is. */
  readonly isSubFile?: boolean
  /** Default: `sub/`. */
  readonly sub?: string
}

const date = '2001-02-03T04:05:00.000Z'
const second = '2001-02-03T04:05:06.000Z'
const day = '2001-02-03T00:00:00.000Z'
const style = `<style>${'td.icon { background: url(data:image/png;base64,AAAA) }\n'.repeat(1200)}</style>`

export const shapes: Readonly<Record<string, Shape>> = {
  'http-server (npm), behind 60 KiB of style': {
    modified: date,
    size: 'rough',
    page:
      `<!doctype html><html><head><title>Index of /files/</title>${style}</head><body><h1>Index of /files/</h1><table>` +
      '<tr><td><i class="icon"></i></td><td class="perms"><code>(drwxr-xr-x)</code></td><td>22-Nov-2026 09:44</td>' +
      '<td class="file-size"><code></code></td><td><a href="./../">../</a></td></tr>' +
      '<tr><td></td><td><code>(drwxr-xr-x)</code></td><td>03-Feb-2001 04:05</td><td><code></code></td>' +
      '<td><a href="./sub/">sub/</a></td></tr>' +
      '<tr><td></td><td><code>(-rw-r--r--)</code></td><td>03-Feb-2001 04:05</td><td><code>5B</code></td>' +
      '<td><a href="./a.txt">a.txt</a></td></tr>' +
      '<tr><td></td><td><code>(-rw-r--r--)</code></td><td>03-Feb-2001 04:05</td><td><code>1.2M</code></td>' +
      '<td><a href="./big.iso">big.iso</a></td></tr></table><br><address>Node.js v20/ ' +
      '<a href="https://github.com/http-party/http-server">http-server</a> server</address></body></html>',
  },
  'serve (npm)': {
    page:
      '<!DOCTYPE html><html lang="en"> <head> <title>Files within root&#47;files&#47;</title> <style>a{}</style> </head> ' +
      '<body> <main> <header> <h1> <i>Index of&nbsp;</i>  <a href="/">root&#47;</a>  <a href="/files&#47;">files&#47;</a> ' +
      '</h1> </header> <ul id="files">  <li> <a href="&#47;" title="&#47;" class="directory ">..</a> </li>  ' +
      '<li> <a href="&#47;files&#47;sub&#47;" title="sub&#47;" class="folder ">sub&#47;</a> </li>  ' +
      '<li> <a href="&#47;files&#47;a.txt" title="a.txt" class="file txt">a.txt</a> </li>  ' +
      '<li> <a href="&#47;files&#47;big.iso" title="big.iso" class="file iso">big.iso</a> </li></ul></main></body></html>',
  },
  'serve (npm), asked without a / at the end': {
    path: 'files',
    page:
      '<!DOCTYPE html><html><head><title>Files within root&#47;files&#47;</title></head><body><h1><i>Index of&nbsp;</i>' +
      '<a href="/">root&#47;</a> <a href="/files&#47;">files&#47;</a></h1><ul><li><a href="/files/sub/">sub/</a></li>' +
      '<li><a href="/files/a.txt">a.txt</a></li><li><a href="/files/big.iso">big.iso</a></li></ul></body></html>',
  },
  'serve-index (npm)': {
    size: 'exact',
    modified: second,
    sub: 'sub',
    page:
      '<!DOCTYPE html>\n<html><head><title>listing directory /files/</title><script>var a = "<a href=x.txt>";</script>' +
      '</head><body class="directory"><input id="search" type="text" /><div id="wrapper">' +
      '<h1><a href="/">~</a> / <a href="/files">files</a> / </h1><ul id="files" class="view-tiles">' +
      '<li><a href="/" class="icon icon-directory" title=".."><span class="name">..</span><span class="size"></span>' +
      '<span class="date"></span></a></li>\n<li><a href="/files/sub" class="icon icon-directory" title="sub">' +
      '<span class="name">sub</span><span class="size"></span><span class="date">2/3/2001 4:05:06 AM</span></a></li>\n' +
      '<li><a href="/files/a.txt" class="icon icon-txt" title="a.txt"><span class="name">a.txt</span>' +
      '<span class="size">5</span><span class="date">2/3/2001 4:05:06 AM</span></a></li>\n' +
      '<li><a href="/files/big.iso" class="icon" title="big.iso"><span class="name">big.iso</span>' +
      '<span class="size">1234567</span><span class="date">2/3/2001 4:05:06\u202fAM</span></a></li></ul></div></body></html>',
  },
  'rclone serve http': {
    size: 'exact',
    modified: second,
    page:
      '\n<!DOCTYPE html>\n<html>\n<head>\n<title>/files</title>\n</head><body onload="filter()"><header><h1>\n' +
      '<a href="../">/</a><a href="">files</a>/\n</h1></header><main><table><thead><tr><th></th><th>' +
      '<a href="?sort=name&order=asc">Name</a></th><th><a href="?sort=size">Size</a></th></tr></thead><tbody>\n' +
      '<tr><td></td><td><a href=".."><span class="goup">Go up</span></a></td><td>&mdash;</td><td>&mdash;</td></tr>\n' +
      '<tr class="file"><td></td><td><span class="name"><a href="sub/">sub/</a></span></td><td data-order="-1">&mdash;</td>' +
      '<td><time datetime="2001-02-03 04:05:06 &#43;0000 UTC">2001-02-03 04:05:06 &#43;0000 UTC</time></td></tr>\n' +
      '<tr class="file"><td></td><td><span class="name"><a href="a.txt">a.txt</a></span></td><td data-order="5">' +
      '<size>5</size></td><td><time datetime="2001-02-03 04:05:06 &#43;0000 UTC">2001-02-03</time></td></tr>\n' +
      '<tr class="file"><td></td><td><span class="name"><a href="big.iso">big.iso</a></span></td><td data-order="1234567">' +
      '1.177 MiB</td><td><time datetime="2001-02-03T05:05:06+01:00">yesterday</time></td></tr></tbody></table></main>',
  },
  webfs: {
    size: 'rough',
    modified: day,
    page:
      '<head><title>127.0.0.1:8000/files/</title></head>\n<body bgcolor=white>\n<h1>listing: \n<a href="/">/</a>' +
      '<a href="/files/">files/</a></h1><hr noshade size=1><pre>\n<b>access      user      group     date             ' +
      'size  name</b>\n\ndrwxr-xr-x  root      root      Nov 22 09:44    &lt;DIR&gt;  <a href="../">..</a>\n' +
      'drwxr-xr-x  root      root      Feb 03  2001    &lt;DIR&gt;  <a href="sub/">sub</a>\n' +
      '-rw-r--r--  root      root      Feb 03  2001     5  B  <a href="a.txt">a.txt</a>\n' +
      '-rw-r--r--  root      root      Feb 03  2001  1.2 MB  <a href="big.iso">big.iso</a>\n</pre><hr noshade size=1>\n' +
      '<small><a href="http://bytesex.org/webfs.html">webfs/1.21</a> &nbsp; 22/Nov/2026 09:45:07 GMT</small>\n</body>',
  },
  'mini_httpd and micro_httpd': {
    size: 'exact',
    modified: date,
    isSubFile: true,
    page:
      '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">\n<html>\n  <head>\n    <title>Index of files/</title>\n' +
      '  </head>\n  <body bgcolor="#99cc99">\n    <h4>Index of files/</h4>\n    <pre>\n' +
      '<a href=".">.                               </a>    03Feb2001 04:05           4096\n' +
      '<a href="..">..                              </a>    22Nov2026 09:44           4096\n' +
      '<a href="a.txt">a.txt                           </a>    03Feb2001 04:05              5\n' +
      '<a href="big.iso">big.iso                         </a>    03Feb2001 04:05        1234567\n' +
      '<a href="sub">sub                             </a>    03Feb2001 04:05\n    </pre>\n    <hr>\n' +
      '    <address><a href="http://www.acme.com/software/mini_httpd/">mini_httpd/1.30</a></address>\n  </body>\n</html>\n',
  },
  'h2o, whose items never end': {
    isSubFile: true,
    page:
      '<!DOCTYPE html>\n<TITLE>Index of /files/</TITLE>\n<H2>Index of /files/</H2>\n<UL>\n<LI><A HREF="..">Parent Directory</A>' +
      '<LI><A HREF="a.txt">a.txt</A><LI><A HREF="big.iso">big.iso</A><LI><A HREF="sub">sub</A></UL>',
  },
  thttpd: {
    size: 'exact',
    modified: day,
    page:
      '<HTML>\n<HEAD><TITLE>Index of /files/</TITLE></HEAD>\n<BODY BGCOLOR="#99cc99">\n<H2>Index of /files/</H2>\n<PRE>\n' +
      'mode  links  bytes  last-changed  name\n' +
      'dr-x   3         4096  Feb  3  2001  <A HREF="/files/./">./</A>\n' +
      'dr-x   3         4096  Nov 22 09:44  <A HREF="/files/../">../</A>\n' +
      'dr-x   2         4096  Feb  3  2001  <A HREF="/files/sub/">sub/</A>\n' +
      '-r--   1            5  Feb  3  2001  <A HREF="/files/a.txt">a.txt</A>\n' +
      '-r--   1      1234567  Feb  3  2001  <A HREF="/files/big.iso">big.iso</A>\n</PRE>\n<HR>\n' +
      '<ADDRESS><A HREF="http://www.acme.com/software/thttpd/">thttpd/2.29</A></ADDRESS>\n</BODY></HTML>\n',
  },
  darkhttpd: {
    size: 'exact',
    page:
      '<html>\n <head>\n  <title>/files/</title>\n </head>\n <body>\n  <h1>/files/</h1>\n  <tt><pre>\n' +
      '<a href="..">..</a>/\n<a href="sub/">sub</a>/\n<a href="a.txt">a.txt</a>        5\n' +
      '<a href="big.iso">big.iso</a>  1234567\n  </pre></tt>\n<hr>\n Generated by darkhttpd/1.13\n </body>\n</html>\n',
  },
  IIS: {
    size: 'exact',
    modified: date,
    page:
      '<html><head><title>127.0.0.1 - /files/</title></head><body><H1>127.0.0.1 - /files/</H1><hr>\r\n\r\n<pre>' +
      '<A HREF="/">[To Parent Directory]</A><br><br> 2/3/2001  4:05 AM        &lt;dir&gt; <A HREF="/files/sub/">sub</A><br>' +
      '  2/3/2001  4:05 AM            5 <A HREF="/files/a.txt">a.txt</A><br>' +
      '  2/3/2001  4:05 AM      1234567 <A HREF="/files/big.iso">big.iso</A><br></pre><hr></body></html>',
  },
  Jetty: {
    size: 'exact',
    modified: second,
    page:
      '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Directory: /files/</title>\n</head>\n<body>\n' +
      '<h1 class="title">Directory: /files/</h1>\n<table class="listing">\n<thead>\n<tr><th class="name">' +
      '<a href="?C=N&amp;O=D">Name&nbsp; &#8679;</a></th><th><a href="?C=M&amp;O=A">Last Modified</a></th></tr>\n</thead>\n' +
      '<tbody>\n<tr><td class="name"><a href="/">Parent Directory</a></td><td></td><td></td></tr>\n' +
      '<tr><td class="name"><a href="/files/sub/">sub/&nbsp;</a></td><td>Feb 3, 2001, 4:05:06 AM&nbsp;</td>' +
      '<td class="size">4,096 bytes&nbsp;</td></tr>\n' +
      '<tr><td class="name"><a href="/files/a.txt">a.txt&nbsp;</a></td><td class="lastmodified">Feb 3, 2001, 4:05:06 AM' +
      '&nbsp;</td><td class="size">5 bytes&nbsp;</td></tr>\n<tr><td class="name"><a href="/files/big.iso">big.iso&nbsp;</a>' +
      '</td><td>Feb 3, 2001, 4:05:06 AM&nbsp;</td><td class="size">1,234,567 bytes&nbsp;</td></tr>\n</tbody></table></body>',
  },
  Tomcat: {
    size: 'rough',
    modified: second,
    page:
      '<!doctype html><html><head><title>Directory Listing For [/files/]</title><style>h1 {color:white;}</style></head>' +
      '<body><h1>Directory Listing For [/files/] - <a href="/"><b>Up To [/]</b></a></h1><hr class="line">' +
      '<table width="100%"><thead><tr><th><a href="?C=N;O=A">Filename</a></th><th>Size</th></tr></thead>' +
      '<tr><td align="left">&nbsp;&nbsp;\r\n<a href="/files/sub/"><tt>sub/</tt></a></td>\r\n<td><tt>&nbsp;</tt></td>\r\n' +
      '<td><tt>Sat, 03 Feb 2001 04:05:06 GMT</tt></td>\r\n</tr>\r\n<tr bgcolor="#eeeeee">\r\n<td>&nbsp;&nbsp;\r\n' +
      '<a href="/files/a.txt"><tt>a.txt</tt></a></td>\r\n<td align="right"><tt>5 B</tt></td>\r\n' +
      '<td><tt>Sat, 03 Feb 2001 04:05:06 GMT</tt></td>\r\n</tr>\r\n<tr>\r\n<td>&nbsp;&nbsp;\r\n<a href="/files/big.iso">' +
      '<tt>big.iso</tt></a></td>\r\n<td align="right"><tt>1.2 MB</tt></td>\r\n' +
      '<td><tt>Sat, 03 Feb 2001 04:05:06 GMT</tt></td>\r\n</tr>\r\n</table>\r\n<hr><h3>Apache Tomcat/10.1</h3></body></html>',
  },
  'Go, which writes links and nothing else': {
    page: '<pre>\n<a href="a.txt">a.txt</a>\n<a href="big.iso">big.iso</a>\n<a href="sub/">sub/</a>\n</pre>\n',
  },
  'Go since 1.22': {
    page:
      '<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n<a href="a.txt">a.txt</a>\n' +
      '<a href="big.iso">big.iso</a>\n<a href="sub/">sub/</a>\n</pre>\n',
  },
  Twisted: {
    size: 'rough',
    page:
      '<html>\n<head>\n<title>Directory listing for /files/</title>\n</head>\n<body>\n<h1>Directory listing for /files/</h1>\n' +
      '<table>\n<thead><tr><th>Filename</th><th>Size</th><th>Content type</th></tr></thead>\n<tbody>\n' +
      '<tr class="odd">\n<td><a href="sub/">sub/</a></td>\n<td></td>\n<td>[Directory]</td>\n<td></td>\n</tr>\n' +
      '<tr class="even">\n<td><a href="a.txt">a.txt</a></td>\n<td>5B</td>\n<td>[text/plain]</td>\n<td></td>\n</tr>\n' +
      '<tr class="odd">\n<td><a href="big.iso">big.iso</a></td>\n<td>1.2M</td>\n<td>[application/x-iso]</td>\n</tr>\n' +
      '</tbody></table></body></html>',
  },
  miniserve: {
    size: 'rough',
    modified: second,
    page:
      '<!DOCTYPE html><html><head><title>Index of 127.0.0.1:8080/files/</title><style>a{}</style></head><body><div>' +
      '<h1 class="title">Index of <a href="/">127.0.0.1:8080</a>/<span>files</span></h1><table><thead><th class="name">' +
      '<span><a href="?sort=name&amp;order=desc">Name</a></span></th></thead><tbody>' +
      '<tr><td><p><span class="root-chevron">‹</span><a class="root" href="../">Parent directory</a></p></td></tr>' +
      '<tr class="entry-type-directory"><td><p><a class="directory" href="/files/sub/">sub/</a></p></td><td></td>' +
      '<td class="date-cell"><span>2001-02-03 04:05:06 +00:00 </span><span class="history">25 years ago</span></td></tr>' +
      '<tr class="entry-type-file"><td><p><a class="file" href="/files/a.txt">a.txt</a>' +
      '<span class="mobile-info size">5 B</span></p></td><td class="size-cell">5 B</td>' +
      '<td class="date-cell"><span>2001-02-03 04:05:06 +00:00 </span><span class="history">25 years ago</span></td></tr>' +
      '<tr class="entry-type-file"><td><p><a class="file" href="/files/big.iso">big.iso</a></p></td>' +
      '<td class="size-cell">1.2 MiB</td><td><span>2001-02-03 06:05:06 +02:00 </span></td></tr></tbody></table></div>',
  },
  'a page of boxes, the date first': {
    size: 'exact',
    modified: date,
    page:
      '<!DOCTYPE html><title>Index of /files/</title><h1>Index of /files/</h1><div class="list">' +
      '<div><span>2001-02-03 04:05</span> <a href="sub/">sub/</a></div>' +
      '<div><span>2001-02-03 04:05</span> <span>5</span> <a href="a.txt">a.txt</a></div>' +
      '<div><span>2001-02-03 04:05</span> <span>1234567</span> <a href="big.iso">big.iso</a></div></div>',
  },
  'a page of boxes, the name first': {
    size: 'exact',
    modified: date,
    page:
      '<!DOCTYPE html><title>Index of /files/</title><h1>Index of /files/</h1><div class="list">' +
      '<div><div><a href="sub/">sub/</a></div><div>2001-02-03 04:05</div><div>-</div></div>' +
      '<div><div><a href="a.txt">a.txt</a></div><div>2001-02-03 04:05</div><div>5</div></div>' +
      '<div><div><a href="big.iso">big.iso</a></div><div>2001-02-03 04:05</div><div>1234567</div></div></div>',
  },
  'a mirror with a page of its own above': {
    size: 'exact',
    modified: date,
    page:
      '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 3.2 Final//EN"><html><head><title>Index of /files</title></head><body>' +
      `<ul>${Array.from({ length: 30 }, (_, n) => `<li><a href="https://www.example.org/${n}">Site ${n}</a>`).join('')}</ul>` +
      `<p>${'Welcome to our mirror, which has been here for a long time. '.repeat(100)}</p><pre>` +
      '<img src="/icons/back.gif" alt="[PARENTDIR]"> <a href="/">Parent Directory</a>                    -   \n' +
      '<img src="/icons/folder.gif" alt="[DIR]"> <a href="sub/">sub/</a>            2001-02-03 04:05    -   \n' +
      '<img src="/icons/text.gif" alt="[TXT]"> <a href="a.txt">a.txt</a>           2001-02-03 04:05    5   \n' +
      '<img src="/icons/image.gif" alt="[   ]"> <a href="big.iso">big.iso</a>         2001-02-03 04:05 1234567   \n</pre>',
  },
}
