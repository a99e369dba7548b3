// A script: node script.mjs URL...
// Prints what each URL is before it is retrieved, and the first line of each text.
import { resolve } from '@retriever/core'
import { createClient } from '@retriever/fetchers'

const client = createClient({ limits: { maxSize: 10 * 1024 * 1024, totalTimeout: 30_000 } })
try {
  for (const url of process.argv.slice(2)) {
    const { plan, findings } = resolve(url)
    console.log(`${url}: ${plan.mechanism}, ${findings.length} findings`)
    try {
      const representation = await client.retrieve(url)
      const [firstLine] = (await representation.text()).split('\n')
      console.log(`  ${firstLine}`)
    } catch (error) {
      process.exitCode = 1
      console.error(`  ${error.code}: ${error.message}`)
    }
  }
} finally {
  await client.close()
}
