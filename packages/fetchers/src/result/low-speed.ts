import type { Deadline } from '../plugin/deadline.ts'
import type { Limits } from '../plugin/limits.ts'

/**
 * Limits.minSpeed: the function gets the length of each chunk of a body, and says whether too few octets came in the
 * last minSpeedTime. Only the time spent waiting for the server counts, so a consumer may pause.
 */
export function speedRule({ minSpeed, minSpeedTime }: Limits, deadline: Deadline): (octets: number) => boolean {
  let windowStart = deadline.bodyWait
  let received = 0
  return (octets) => {
    if (minSpeed === 0) return false
    received += octets
    const waited = deadline.bodyWait - windowStart
    if (waited < minSpeedTime) return false
    if (received < (minSpeed * waited) / 1000) return true
    windowStart = deadline.bodyWait
    received = 0
    return false
  }
}
