// A user's program, which the bundlers turn into one file or several: prints what it retrieves.
import { createClient } from '@retriever/fetchers'

const print = (line) => process.stdout.write(`${line}\n`)

async function main() {
  const client = createClient()
  for (const url of process.argv.slice(2)) {
    const representation = await client.retrieve(url)
    print(`${representation.mechanism} ${(await representation.bytes()).length}`)
  }
  for await (const { error } of client.retrieveAll(process.argv.slice(2))) print(error?.message ?? 'retrieved')
  await client.close()
}

main()
