import { simulate } from './frontier/simulate.mjs'
import { printTable } from './lib/table.mjs'

export const about =
  'Simulates, in virtual time, how workers of @retriever/queue share 10^9 URLs (or: URLS HOSTS WORKERS SHARDS SEED).'

export const run = ([urls = '1e9', hosts = '1e7', workers = '1000', shards = '8', seed = '1']) => {
  const seen = simulate({
    urls: Number(urls),
    hosts: Number(hosts),
    workers: Number(workers),
    shards: Number(shards),
    seed: Number(seed),
  })
  const commands = seen.shards.reduce((sum, each) => sum + each, 0)
  const busiest = Math.max(...seen.hours) / 3600
  printTable(
    ['what', 'value'],
    [
      ['URLs retrieved', text(seen.done)],
      ['URLs of hosts that never answered', text(seen.lost)],
      ['turns', text(seen.turns)],
      ['workers that ended without a word', text(seen.deaths)],
      ['turns that another worker went on with', text(seen.again)],
      ['times that two workers had one host', text(seen.overlaps)],
      ...[50, 90, 99, 100].map((part) => [`${part} % of the URLs after`, time(seen.marks[part - 1] ?? seen.seconds)]),
      ['commands of Redis a URL', (commands / seen.total).toFixed(2)],
      ['commands a second, busiest hour', text(busiest)],
      ['the busiest shard, of the mean', (Math.max(...seen.shards) / (commands / seen.shards.length)).toFixed(2)],
    ],
  )
  process.stdout.write('\n')
  const sizes = seen.classes.map((size, power) => ({ ...size, power })).filter((size) => size.hosts > 0)
  printTable(
    ['URLs of a host', 'hosts', 'URLs', 'last host done after', 'longest wait between two turns'],
    sizes.map(({ power, hosts: count, urls: sum, last, wait }) => [
      `${text(10 ** power)} to ${text(10 ** (power + 1) - 1)}`,
      text(count),
      text(sum),
      time(last),
      time(wait),
    ]),
  )
}

const text = (number) => Math.round(number).toLocaleString('en')

function time(seconds) {
  if (seconds < 120) return `${seconds.toFixed(0)} s`
  if (seconds < 7200) return `${(seconds / 60).toFixed(0)} min`
  return seconds < 172_800 ? `${(seconds / 3600).toFixed(1)} h` : `${(seconds / 86_400).toFixed(0)} days`
}
