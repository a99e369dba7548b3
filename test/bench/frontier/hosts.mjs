/** A host's kind: most are well; some ask for a pause after each second turn, some never answer. */
export const well = 0
export const throttling = 1
export const dead = 2

/**
 * The hosts of a list, with a long tail: the number of URLs of a host is inverse to its rank (Zipf's law, as sizes of
 * sites have it), and each host has one at least. `at` is when a turn of it ended last, in seconds.
 */
export function makeHosts({ urls, hosts, pace }, random) {
  const left = new Uint32Array(hosts)
  const paces = new Float32Array(hosts)
  const kinds = new Uint8Array(hosts)
  let sum = 0
  for (let rank = 1; rank <= hosts; rank++) sum += 1 / rank
  const step = stepOf(hosts)
  let total = 0
  for (let rank = 1; rank <= hosts; rank++) {
    // Big hosts stand anywhere in the list.
    const host = (rank * step) % hosts
    left[host] = Math.max(1, Math.round((urls - hosts) / sum / rank))
    total += left[host]
    // The slower hosts take up to three times as long for an answer as the interval between two requests is.
    paces[host] = pace * Math.max(1, 3 * random() ** 4)
    const drawn = random()
    // A host with many URLs in a list has answered lately.
    kinds[host] = drawn < 0.01 && left[host] < 1000 ? dead : drawn < 0.02 ? throttling : well
  }
  return { left, paces, kinds, sizes: left.slice(), total, at: new Float64Array(hosts).fill(-1) }
}

/** A number that has no divisor in common with `count`, so that its multiples visit each host once. */
function stepOf(count) {
  let step = Math.floor(count * 0.618) | 1
  while (divisor(step, count) !== 1) step += 2
  return step
}

function divisor(one, other) {
  return other === 0 ? one : divisor(other, one % other)
}
