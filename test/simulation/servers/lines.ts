/** Gives the lines of a client one by one, without their ends. */
export function byLines(take: (line: string) => void): (octets: string) => void {
  let rest = ''
  return (octets) => {
    const lines = (rest + octets).split('\r\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
  }
}
