import { hundredThousand } from './runs/batch-urls.mjs'

export const about =
  'retrieveAll of 100,000 URLs on 50 servers beside undici in p-queue (or: COUNT HOSTS), on embedded servers.'

export const run = ([count = '100000', hosts = '50']) => hundredThousand(Number(count), Number(hosts))
