/** One octet a character. */
export interface UserAndPassword {
  readonly user: string
  readonly password: string
}

/** What stands in the field Authorization or Proxy-Authorization of a request. */
export interface Login {
  credentials(method: string, uri: string): string
}

/** RFC 7617 2, of octets; no `:` may stand in the user. */
export function basicLogin({ user, password }: UserAndPassword): Login {
  const value = `Basic ${Buffer.from(`${user}:${password}`, 'latin1').toString('base64')}`
  return { credentials: () => value }
}
