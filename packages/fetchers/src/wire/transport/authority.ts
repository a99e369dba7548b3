/** A host where a port may follow: IPv6 in brackets, without its zone, which means nothing elsewhere (RFC 6874 1). */
export function hostName(host: string): string {
  return host.includes(':') ? `[${host.split('%', 1)[0]}]` : host
}

/** RFC 3986 3.2, without a user: the port is left out where it is the scheme's own. */
export function authority(
  { host, port }: { readonly host: string; readonly port: number },
  defaultPort: number,
): string {
  return port === defaultPort ? hostName(host) : `${hostName(host)}:${port}`
}
