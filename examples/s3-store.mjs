// A store for the workers of a queue, in a bucket of S3 or of a server that is compatible and knows `If-None-Match: *`:
//
//   import { S3mini } from 's3mini'
//   const s3 = new S3mini({ endpoint: 'https://s3.example.org/bucket', region, accessKeyId, secretAccessKey })
//   await queue.work({ store: s3Store(s3, 'pages/') })
import { functionStore } from '@retriever/queue'

/** How often an upload is tried that meets another one. */
const maxTries = 5

/** The key of an object is `prefix` and the sum of its URL. A body is in memory until it is there. */
export function s3Store(s3, prefix = '') {
  return functionStore({
    has: ({ id }) => s3.objectExists(prefix + id),
    put: async ({ id }, representation) => {
      const { mediaType } = representation
      const octets = await representation.bytes()
      for (let tries = 1; ; tries++) {
        try {
          await s3.putObject(prefix + id, octets, mediaType ?? undefined, undefined, { 'if-none-match': '*' })
          return true
        } catch (error) {
          // Another worker has made it.
          if (error.status === 412) return false
          // Another upload to the key is under way. Any other error ends this worker.
          if (error.status !== 409 || tries === maxTries) throw error
        }
      }
    },
  })
}
