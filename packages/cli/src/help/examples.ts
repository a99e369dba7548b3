/** A command line that works as written, and its purpose. */
export interface Example {
  readonly command: string
  readonly purpose: string
}

/** The examples of the short help and of the man page. They use servers of GNU, Floodgap and IANA. */
export const examples: readonly Example[] = [
  { command: 'retrieve https://example.org/', purpose: 'show a page' },
  { command: 'retrieve -O ftp://ftp.gnu.org/README', purpose: 'save as README' },
  { command: 'retrieve -o page.html https://example.org/', purpose: 'save as page.html' },
  { command: 'retrieve -C - -O ftp://ftp.gnu.org/README', purpose: 'go on where it stopped' },
  { command: 'retrieve -I https://example.org/', purpose: 'header fields only' },
  { command: 'retrieve ls ftp://ftp.gnu.org/gnu/', purpose: 'list a folder' },
  { command: 'retrieve gopher://gopher.floodgap.com/', purpose: 'show a menu' },
  { command: "retrieve explain 'ftp://me@ftp.gnu.org/%2Fx'", purpose: 'what a URL means' },
  { command: "retrieve -so x -w '%{http_code}' https://example.org/", purpose: 'for scripts' },
  { command: "echo 'See <URL:news:comp.lang.c>' | retrieve extract", purpose: 'URLs in a text' },
]
