/** Builds the lines, without their ends, that ask an HTTP proxy to connect to a target (RFC 9110 9.3.6). */
export function connectRequest(
  target: string,
  authorization: string | null,
  fields: readonly (readonly [name: string, value: string])[],
): string[] {
  const login = authorization === null ? [] : [`Proxy-Authorization: ${authorization}`]
  return [
    `CONNECT ${target} HTTP/1.1`,
    `Host: ${target}`,
    ...login,
    ...fields.map(([name, value]) => `${name}: ${value}`),
    '',
  ]
}
