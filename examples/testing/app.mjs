/** The code under test: the first line of a document. */
export async function firstLine(client, url) {
  const representation = await client.retrieve(url)
  return (await representation.text()).split(/\r?\n/)[0]
}
